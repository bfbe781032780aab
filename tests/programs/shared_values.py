"""Runs inside a real Paddle: saves layers in which values share memory, and loads them.

python shared_values.py save FOLDER
python shared_values.py own FOLDER    by Paddle's own calls; prints by layer the ways that are wrong
python shared_values.py safe FOLDER   by compatload's, and the rules that were followed
"""

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import inference  # noqa: E402
from paddle.static import InputSpec  # noqa: E402

import compatload  # noqa: E402

F = paddle.nn.functional


def looped(x, y):
    total, count = y.detach(), paddle.zeros([1], "int64")
    while count < 2:
        kept = y.detach()
        total, count = total + F.relu(y) + kept, count + 1
    return total, y


LAYERS = {
    "detach_relu": lambda x, y: (y.detach(), F.relu(y)),
    "detach_exp": lambda x, y: (y.detach(), paddle.exp(y)),
    "detach_cos": lambda x, y: (y.detach(), paddle.cos(y)),
    "detach_of_input": lambda x, y: (F.relu(x.detach()), x * 2.0, y),
    "detach_alone": lambda x, y: (paddle.cos(y.detach()), x * 2.0),
    "detach_twice": lambda x, y: (lambda u: (paddle.exp(y), u.detach(), F.relu(u)))(y.detach()),
    "loop": looped,
    "unsqueeze_cos": lambda x, y: (y[:, None], paddle.cos(y)),
    "clone_pow": lambda x, y: (y.clone(), paddle.pow(y, 2.0)),
    "cos_of_unsqueeze": lambda x, y: (paddle.cos(paddle.unsqueeze(y, 1)), F.relu(y)),
}
X = np.random.RandomState(0).randn(3, 4).astype("float32")


class Layer(paddle.nn.Layer):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute
        self.weight = self.create_parameter([4, 6])

    def forward(self, x):
        return self.compute(x, paddle.matmul(x, self.weight))


def save(folder):
    for name, compute in LAYERS.items():
        layer = Layer(compute)
        layer.eval()
        np.savez(folder / f"{name}.npz", *(one.numpy() for one in layer(paddle.to_tensor(X))))
        spec = [InputSpec([None, 4], "float32", "x")]
        paddle.jit.save(layer, str(folder / name), input_spec=spec)


def predicted(config, create):
    predictor = create(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(X)
    predictor.run()
    handles = map(predictor.get_output_handle, predictor.get_output_names())
    return predictor, [one.copy_to_cpu() for one in handles]


def config_of(path, onednn):
    program = next(p for p in (f"{path}.json", f"{path}.pdmodel") if Path(p).exists())
    config = inference.Config(program, f"{path}.pdiparams")
    config.disable_glog_info()
    if onednn:
        config.enable_mkldnn()
    elif hasattr(config, "disable_mkldnn"):
        config.disable_mkldnn()
    return config


def programmed(path, load):
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    loaded = load(path, executor)
    program, feeds, fetches = loaded
    outputs = executor.run(program, feed={feeds[0]: X}, fetch_list=fetches)
    paddle.disable_static()
    return loaded, outputs


def ways(path, *, safe):
    load, load_program = paddle.jit.load, paddle.static.load_inference_model
    create = inference.create_predictor
    if safe:
        load, load_program = compatload.safe_load, compatload.safe_load_inference_model
        create = compatload.safe_create_predictor
    layer = load(path)
    yield "layer", layer, [one.numpy() for one in paddle.utils.flatten(layer(paddle.to_tensor(X)))]
    yield ("program", *programmed(path, load_program))
    yield ("oneDNN", *predicted(config_of(path, True), create))
    yield ("predictor", *predicted(config_of(path, False), create))
    if safe:
        served = compatload.safe_load(path, inference_only=True)
        outputs = paddle.utils.flatten(served(paddle.to_tensor(X)))
        yield "served", served, [one.numpy() for one in outputs]


def load(folder, *, safe):
    wrong, rules = {}, {}
    for name in LAYERS:
        with np.load(folder / f"{name}.npz") as stored:
            wanted = [stored[key] for key in stored.files]
        for way, loaded, outputs in ways(str(folder / name), safe=safe):
            if not all(np.allclose(a, b, atol=1e-5) for a, b in zip(outputs, wanted)):
                wrong.setdefault(name, []).append(way)
            if safe:
                rules[f"{name} {way}"] = list(compatload.load_report(loaded).rules)
    print(json.dumps({"wrong": wrong, "rules": rules}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    errand, place = sys.argv[1], Path(sys.argv[2])
    if errand == "save":
        save(place)
    else:
        load(place, safe=errand == "safe")
