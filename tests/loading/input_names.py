"""Runs inside a real Paddle: models with inputs that are called as Paddle calls outputs.

python input_names.py save FOLDER
python input_names.py load FOLDER   prints, by name and way of loading, the largest difference
"""

import json
import logging
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402

import compatload  # noqa: E402

NAMES = ("output_0", "fetch_name_0", "save_infer_model/scale_0.tmp_0")
FIRST, SECOND = np.float32([[1, 2, 3, 4]]), np.float32([[5, 7, 11, 13]])
WANTED = (FIRST - SECOND * 2, FIRST * SECOND)


class Net(paddle.nn.Layer):
    def forward(self, first, second):
        return first - second * 2, first * second


def difference(load, prefix):
    try:
        outputs = load(prefix)(paddle.to_tensor(FIRST), paddle.to_tensor(SECOND))
        return max(float(abs(out.numpy() - one).max()) for out, one in zip(outputs, WANTED))
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    errand, place, found = sys.argv[1], Path(sys.argv[2]), {}
    for number, name in enumerate(NAMES):
        prefix = str(place / str(number) / "model")
        if errand == "save":
            specs = [paddle.static.InputSpec([None, 4], "float32", one) for one in ("x", name)]
            paddle.jit.save(Net(), prefix, input_spec=specs)
            continue
        found[name] = {
            "layer": difference(compatload.safe_load, prefix),
            "predictor": difference(
                lambda path: compatload.safe_load(path, inference_only=True), prefix
            ),
            "paddle": difference(paddle.jit.load, prefix),
        }
    print(json.dumps(found))
