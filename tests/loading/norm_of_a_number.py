"""Runs inside a real Paddle: the norm along an axis of a number, which Paddle reads memory for.

python norm_of_a_number.py save FOLDER   builds the program, and runs nothing
python norm_of_a_number.py load FOLDER   prints what it gives as a program and in a predictor
"""

import json
import logging
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
import paddle.inference  # noqa: E402

import compatload  # noqa: E402

paddle.enable_static()


def save(prefix):
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data("x", [], "float32")
        size = paddle._C_ops.p_norm(x, 2.0, -1, 1e-12, False, False)
        outputs = [x / paddle.clip(size, min=1.0), size]
    executor = paddle.static.Executor(paddle.CPUPlace())
    paddle.static.save_inference_model(str(prefix), [x], outputs, executor, program=program)


def load(prefix):
    given = np.asarray(0.5, "float32")
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, _, fetched = compatload.safe_load_inference_model(str(prefix), executor)
    as_program = executor.run(program, feed={"x": given}, fetch_list=fetched)
    predictor = compatload.safe_create_predictor(str(prefix))
    (name,) = predictor.get_input_names()
    predictor.get_input_handle(name).copy_from_cpu(given)
    predictor.run()
    names = predictor.get_output_names()
    handles = [predictor.get_output_handle(one).copy_to_cpu() for one in names]
    return [[one.tolist() for one in several] for several in (as_program, handles)]


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    verb, folder = sys.argv[1:]
    place = Path(folder) / "model"
    print(json.dumps(save(place) if verb == "save" else load(place)))
