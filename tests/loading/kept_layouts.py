"""Runs inside a real Paddle: a predictor beside models with channels last, in one thread.

python kept_layouts.py save FOLDER
python kept_layouts.py own FOLDER    prints what becomes of its numbers behind each model
python kept_layouts.py safe FOLDER   the same where compatload loads all of them
"""

import json
import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import paddle
from paddle import nn
from paddle.inference import Config, create_predictor

import compatload

DIMS = {"beside": [8, 4], "last": [8, 8, 4], "in_loop": [8, 8, 4], "by_one_axis": [8, 4]}


class Beside(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1D(4, 4, 3, padding=1)

    def forward(self, x):
        scored = paddle.cast(x.sum(axis=2) > 0, "float32")
        masked = x * scored.unsqueeze(-1)
        return paddle.tanh(self.convolution(masked.transpose([0, 2, 1]))).max(axis=2)


class Last(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2D(4, 4, 3, padding=1, data_format="NHWC")

    def forward(self, x):
        return self.convolution(x).mean(axis=[1, 2])


class InLoop(Last):
    def forward(self, x):
        done = paddle.zeros([1], "int64")
        while done < 2:
            x = self.convolution(x)
            done = done + 1
        return x


class ByOneAxis(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1D(4, data_format="NLC")
        self.convolution = nn.Conv1D(4, 4, 3, padding=1, data_format="NLC")

    def forward(self, x):
        return nn.functional.relu(self.convolution(self.norm(self.linear(x))))


NETWORKS = {"beside": Beside, "last": Last, "in_loop": InLoop, "by_one_axis": ByOneAxis}


def given(name):
    return np.random.RandomState(7).rand(2, *DIMS[name]).astype("float32") - 0.5


def save(place):
    paddle.seed(3)
    for name, kind in NETWORKS.items():
        network = kind()
        network.eval()
        spec = paddle.static.InputSpec([None, *DIMS[name]], "float32", "x")
        paddle.jit.save(network, str(place / name / "model"), input_spec=[spec])
        np.save(place / name / "y.npy", network(paddle.to_tensor(given(name))).numpy())


def of_layer(load, place, name):
    layer = load(str(place / name / "model"))
    layer.eval()
    return lambda: layer(paddle.to_tensor(given(name))).numpy()


def of_program(load, place, name):
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()

    def static(function):
        paddle.enable_static()
        try:
            with paddle.static.scope_guard(scope):
                return function()
        finally:
            paddle.disable_static()

    program, feeds, fetches = static(lambda: load(str(place / name / "model"), executor))
    feed = {feeds[0]: given(name)}
    return lambda: static(lambda: executor.run(program, feed=feed, fetch_list=fetches)[0])


def of_predictor(make, place, name, onednn):
    files = [str(one) for end in (".json", ".pdmodel") for one in place.glob(f"{name}/model{end}")]
    config = Config(files[0], str(place / name / "model.pdiparams"))
    config.disable_glog_info()
    config.enable_mkldnn() if onednn else config.disable_mkldnn()
    predictor = make(config)

    def run():
        handle = predictor.get_input_handle(predictor.get_input_names()[0])
        handle.copy_from_cpu(given(name))
        predictor.run()
        return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()

    return run


def told(run, place, name):
    try:
        difference = np.abs(run() - np.load(place / name / "y.npy")).max()
    except Exception as error:
        return type(error).__name__
    return "right" if difference < 1e-5 else "wrong"


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    errand, place = sys.argv[1], Path(sys.argv[2])
    if errand == "save":
        save(place)
        sys.exit()
    own = errand == "own"
    jit = paddle.jit.load if own else compatload.safe_load
    static = paddle.static.load_inference_model if own else compatload.safe_load_inference_model
    make = create_predictor if own else compatload.safe_create_predictor
    found = {}
    for name in DIMS:
        if name == "beside":
            continue
        models = {
            "layer": of_layer(jit, place, name),
            "program": of_program(static, place, name),
            "predictor": of_predictor(make, place, name, False),
        }
        for way, model in models.items():
            beside = of_predictor(make, place, "beside", True)
            before = told(beside, place, "beside")
            found[f"{name} {way}"] = [
                before,
                told(model, place, name),
                told(beside, place, "beside"),
                told(beside, place, "beside"),
            ]
    print(json.dumps(found))
