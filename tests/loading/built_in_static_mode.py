"""Runs inside a real Paddle: programs that only static mode builds, since nothing runs there.

python built_in_static_mode.py save FOLDER NAME   builds that program
python built_in_static_mode.py load FOLDER NAME   prints what it gives: a program, predictors
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
GIVEN = {
    "norm of a number": np.asarray(0.5, "float32"),
    "product of what is found": np.asarray([[0.5, 2.0]], "float32"),
    "product of two types": np.asarray([[0.5, 2.0]], "float64"),
}


def norm_of_a_number(x):
    """Paddle's own kernel reads memory for it (CL139)."""
    size = paddle._C_ops.p_norm(x, 2.0, -1, 1e-12, False, False)
    return [x / paddle.clip(size, min=1.0), size]


def product_of_what_is_found(x):
    """Where oneDNN is not to run a product, no pass may take the activation into it (CL225)."""
    rows = x[x[:, 0] > 0]
    products = paddle.matmul(rows, rows, transpose_y=True)
    return [paddle.nn.functional.relu(products), rows[:, :1]]


def product_of_two_types(x):
    """Eagerly Paddle refuses it (CL184)."""
    weight = paddle.static.create_parameter(
        [2, 2], "float32", default_initializer=paddle.nn.initializer.Constant(0.25)
    )
    return [paddle.matmul(x, weight), paddle.matmul(weight, paddle.transpose(x, [1, 0]))]


def save(prefix, name):
    given = GIVEN[name]
    program, start = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, start):
        x = paddle.static.data("x", list(given.shape), given.dtype.name)
        outputs = globals()[name.replace(" ", "_")](x)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(start)
    paddle.static.save_inference_model(str(prefix), [x], outputs, executor, program=program)


def load(prefix, name):
    given = GIVEN[name]
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, _, fetched = compatload.safe_load_inference_model(str(prefix), executor)
    as_program = executor.run(program, feed={"x": given}, fetch_list=fetched)
    kind = "json" if prefix.with_suffix(".json").exists() else "pdmodel"
    config = paddle.inference.Config(f"{prefix}.{kind}", f"{prefix}.pdiparams")
    config.enable_mkldnn()  # as 3.x does by itself
    predicted = [predict(one, given) for one in (str(prefix), config)]
    return [[[one.dtype.name, one.tolist()] for one in run] for run in (as_program, *predicted)]


def predict(path_or_config, given):
    predictor = compatload.safe_create_predictor(path_or_config)
    (x,) = predictor.get_input_names()
    predictor.get_input_handle(x).copy_from_cpu(given)
    predictor.run()
    return [predictor.get_output_handle(y).copy_to_cpu() for y in predictor.get_output_names()]


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    verb, folder, name = sys.argv[1:]
    done = save if verb == "save" else load
    print(json.dumps(done(Path(folder) / "model", name)))
