"""Runs inside a real Paddle: operators on dtypes for which older releases have no kernel.

python younger_kernels.py save FOLDER [NAME …]    all of them, or these
python younger_kernels.py load FOLDER   prints, by model: ok, the class of the refusal, and what
                                        Paddle says of it without the rule
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


def first(x):
    return paddle.zeros([1, 3], "int64")


MODELS = {
    "ceil": ("int64", paddle.ceil),
    "floor": ("uint8", paddle.floor),
    "round": ("int32", paddle.round),
    "index_select": ("bool", lambda x: paddle.index_select(x, paddle.zeros([1], "int64"))),
    "where": ("complex64", lambda x: paddle.where(paddle.real(x) > 0, x, x * 2)),
    "argsort": ("int16", paddle.argsort),
    "ones_like": ("float32", lambda x: paddle.ones_like(x, "int8")),
    "less_than": ("complex64", lambda x: paddle.less_than(x, x * 2)),
    "svd": ("complex64", lambda x: paddle.linalg.svd(x)[1]),
    "take_along_axis": ("int16", lambda x: paddle.take_along_axis(x, first(x), 0)),
    "put_along_axis": ("int16", lambda x: paddle.put_along_axis(x, first(x), x[:1], 0)),
    "nonzero": ("complex64", paddle.nonzero),
    "pow": ("complex64", lambda x: paddle.pow(x, x)),
    "cumsum": ("complex64", lambda x: paddle.cumsum(x, 0)),
    "ceil_of_float": ("float32", paddle.ceil),
    "cumsum_of_int64": ("int64", lambda x: paddle.cumsum(x, 0)),
    "where_of_float": ("float32", lambda x: paddle.where(x > 0, x, x * 2)),
}


class Applied(paddle.nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = self.create_parameter([1])

    def forward(self, x):
        return self.function(x), self.weight * 2


def told(prefix, dtype, **options):
    try:
        layer = compatload.safe_load(str(prefix), **options)
        layer(paddle.to_tensor(np.arange(9).reshape(3, 3).astype(dtype)))
    except Exception as error:
        return type(error).__name__
    return "ok"


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    errand, place, found = sys.argv[1], Path(sys.argv[2]), {}
    for name, (dtype, function) in MODELS.items():
        prefix = place / name / "model"
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        if errand == "save":
            spec = [paddle.static.InputSpec([3, 3], dtype, "x")]
            paddle.jit.save(Applied(function), str(prefix), input_spec=spec)
        else:
            found[name] = [told(prefix, dtype), told(prefix, dtype, disabled_rules=["CL127"])]
    print(json.dumps(found))
