"""Runs inside a real Paddle: saves layers that add a constant to an input, and some that do not.

python saved_sums.py FOLDER       saves; prints by name whether what ``paddle.jit.load`` reads
                                  back computes the same
python saved_sums.py MODEL NAME   loads one with compatload; prints by way whether it computes
                                  what the layer does, and the rules that made it so
"""

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle.static import InputSpec  # noqa: E402

import compatload  # noqa: E402

LAYERS = {
    "sum": lambda x: x + 0.5,
    "sum_and_product": lambda x: (x * 2, x + 0.5),
    "two_sums": lambda x: (x - 0.25, x + 0.5),
    "input_and_sum": lambda x: (x, x + 0.5),
    "input": lambda x: x,
    "unused_sum": lambda x: (x + 0.5, x)[1],
    "scaled": lambda x: paddle.scale(x, 2.0, 0.5),
    "sum_of_cosine": lambda x: paddle.cos(x) + 0.5,
    "sum_of_tensors": lambda x: x + paddle.full([1], 0.5),
}


X = np.linspace(0.1, 0.8, 8, dtype="float32").reshape(2, 4)


class Layer(paddle.nn.Layer):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute

    def forward(self, x):
        return self.compute(x)


def save(folder):
    warnings.simplefilter("ignore")
    same = {}
    x = paddle.to_tensor(X)
    for name, compute in LAYERS.items():
        layer, path = Layer(compute), str(folder / name)
        layer.eval()
        paddle.jit.save(layer, path, input_spec=[InputSpec([None, 4], "float32", "x")])
        outputs = (paddle.utils.flatten(one(x)) for one in (paddle.jit.load(path), layer))
        same[name] = all(bool(paddle.allclose(a, b)) for a, b in zip(*outputs))
    print(json.dumps(same))


def load(path, name):
    x = paddle.to_tensor(X)
    wanted = [one.numpy() for one in paddle.utils.flatten(LAYERS[name](x))]
    layer = compatload.safe_load(path)
    served = compatload.safe_load(path, inference_only=True)
    plain = compatload.safe_load(path, disabled_rules=["CL118"])
    predictor = compatload.safe_create_predictor(path)
    found = {way: one(x) for way, one in (("layer", layer), ("served", served), ("plain", plain))}
    found = {way: [one.numpy() for one in paddle.utils.flatten(out)] for way, out in found.items()}
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(X)
    predictor.run()
    outputs = map(predictor.get_output_handle, predictor.get_output_names())
    found["predictor"] = [one.copy_to_cpu() for one in outputs]
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    loaded = compatload.safe_load_inference_model(path, executor)
    program, feeds, fetches = loaded
    found["program"] = executor.run(program, feed={feeds[0]: X}, fetch_list=fetches)
    right = {way: all(map(np.allclose, out, wanted)) for way, out in found.items()}
    ways = {"layer": layer, "served": served, "predictor": predictor, "program": loaded}
    rules = {way: list(compatload.load_report(one).rules) for way, one in ways.items()}
    print(json.dumps({"without the rule": right.pop("plain"), "right": right, "rules": rules}))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        load(*sys.argv[1:])
    else:
        save(Path(sys.argv[1]))
