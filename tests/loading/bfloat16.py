"""Runs inside a real Paddle: what computes or is given out in bfloat16, through each API.

python bfloat16.py FOLDER   saves and loads; prints, by model and API: the types of the outputs and
                            how far off they are, or the class of the error
"""

import json
import logging
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle.nn import functional  # noqa: E402

import compatload  # noqa: E402

X = np.floor(np.random.RandomState(0).randn(2, 3, 6, 6) * 2.0).astype("float32")


class Of(paddle.nn.Layer):
    """``function`` of the input and a weight of that shape that bfloat16 holds without a loss."""

    def __init__(self, shape, function):
        super().__init__()
        half = paddle.nn.initializer.Constant(0.5)
        self.weight = self.create_parameter(shape, default_initializer=half)
        self.function = function

    def forward(self, x):
        # A CPU has no convolution in bfloat16 for what is computed eagerly.
        kind = "float32" if paddle.in_dynamic_mode() else "bfloat16"
        return self.function(x.astype(kind), self.weight.astype(kind))


def single(value):
    return value.astype("float32")


def given_twice(x, w):
    """The output in bfloat16 is an operand as well."""
    y = functional.conv2d(x, w)
    return y, single(functional.relu(y))


MODELS = {
    "summed": ([4, 3, 1, 1], lambda x, w: single(functional.conv2d(x, w).sum(-1))),
    "joined": ([4, 3, 1, 1], lambda x, w: single(paddle.concat([functional.conv2d(x, w)] * 2))),
    "of_lines": ([4, 3, 2], lambda x, w: single(functional.conv1d(x[:, :, 0], w))),
    "transposed": ([3, 4, 2, 2], lambda x, w: single(functional.conv2d_transpose(x, w))),
    "cast": (
        [3, 4, 2, 2],
        lambda x, w: single(functional.conv2d_transpose(single(x), single(w)).astype("bfloat16")),
    ),
    "given": ([6, 4], lambda x, w: paddle.matmul(single(x), single(w)).astype("bfloat16")),
    "given_twice": ([4, 3, 1, 1], given_twice),
}


def by_layer(prefix):
    layer = compatload.safe_load(str(prefix))
    layer.eval()
    return layer(paddle.to_tensor(X))


def by_inference_only(prefix):
    return compatload.safe_load(str(prefix), inference_only=True)(paddle.to_tensor(X))


def by_predictor(prefix):
    (program,) = (one for one in prefix.parent.iterdir() if one.suffix in (".json", ".pdmodel"))
    config = paddle.inference.Config(str(program), str(prefix.with_suffix(".pdiparams")))
    config.disable_glog_info()
    predictor = compatload.safe_create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(X)
    predictor.run()
    names = predictor.get_output_names()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in names]


def told(load, prefix, wanted):
    try:
        outputs = load(prefix)
    except Exception as error:
        return type(error).__name__
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    kinds = [str(one.dtype).rpartition(".")[2].lower() for one in outputs]
    kinds = ["bfloat16" if kind in ("bf16", "bfloat16") else "float32" for kind in kinds]
    arrays = [one if isinstance(one, np.ndarray) else single(one).numpy() for one in outputs]
    return [kinds, max(float(np.abs(a - b).max()) for a, b in zip(arrays, wanted))]


APIS = {"layer": by_layer, "inference_only": by_inference_only, "predictor": by_predictor}

if __name__ == "__main__":
    logging.disable(logging.WARNING)
    found = {}
    # Paddle 2.6 finds what it has traced by the layer's address, which another may get.
    layers = []
    for name, (shape, function) in MODELS.items():
        prefix = Path(sys.argv[1]) / name / "model"
        layer = Of(shape, function)
        layers.append(layer)
        made = layer(paddle.to_tensor(X))
        made = made if isinstance(made, (list, tuple)) else [made]
        wanted = [single(one).numpy() for one in made]
        try:
            spec = [paddle.static.InputSpec([None, 3, 6, 6], "float32", "x")]
            paddle.jit.save(layer, str(prefix), input_spec=spec)
        except TypeError:  # 2.6 has no such convolution at all
            continue
        found[name] = {api: told(load, prefix, wanted) for api, load in APIS.items()}
    print(json.dumps(found))
