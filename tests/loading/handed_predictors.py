"""Runs inside a real Paddle: what callers do with predictors besides running them by handles.

    python handed_predictors.py save|load FOLDER

Prints one JSON object: of each deed the largest difference from what the layer gave.
"""

import gc
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402

SHAPE = (2, 3, 8, 8)
IMAGE = np.linspace(-1.0, 1.0, int(np.prod(SHAPE)), dtype="float32").reshape(SHAPE)


class Plain(paddle.nn.Layer):
    """Its outputs are as oneDNN has laid them out."""

    def __init__(self):
        super().__init__()
        self.convolution = paddle.nn.Conv2D(3, 8, 3)

    def forward(self, x):
        y = self.convolution(x)
        return y, paddle.nn.functional.relu(y) * 2.0


class Single(Plain):
    """Of one output: what 2.6 saves of a loaded layer with several has other names for them."""

    def forward(self, x):
        return paddle.nn.functional.relu(self.convolution(x)) * 2.0


class Bare(paddle.nn.Layer):
    """Without a parameter."""

    def forward(self, x):
        return paddle.tanh(x) * 0.5, x.mean(axis=1)


MODELS = {"plain": Plain, "single": Single, "bare": Bare}


def save(folder):
    paddle.seed(1)
    spec = paddle.static.InputSpec([None, *SHAPE[1:]], "float32", "x")
    for name, model in MODELS.items():
        layer = model()
        layer.eval()
        given = layer(paddle.to_tensor(IMAGE))
        place = folder / name
        place.mkdir()
        given = given if isinstance(given, tuple) else (given,)
        np.savez(folder / f"{name}.npz", *[one.numpy() for one in given])
        paddle.jit.save(layer, str(place / "model"), input_spec=[spec])
    again = paddle.jit.load(str(folder / "single" / "model"))
    again.eval()
    fixed = paddle.static.InputSpec(list(SHAPE), "float32", "x")
    (folder / "again").mkdir()
    paddle.jit.save(again, str(folder / "again" / "model"), input_spec=[fixed])


def by_handles(predictor):
    (name,) = predictor.get_input_names()
    predictor.get_input_handle(name).reshape(IMAGE.shape)
    predictor.get_input_handle(name).copy_from_cpu(IMAGE)
    predictor.run()
    return [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]


def run_of_a_list(predictor):
    return [one.numpy() for one in predictor.run([paddle.to_tensor(IMAGE)])]


def clone_of_clone(predictor):
    clones = [predictor.clone()]
    del predictor
    gc.collect()
    clones.append(clones.pop().clone())
    gc.collect()
    return by_handles(clones[0])


def load(folder):
    from compatload import safe_create_predictor, safe_load

    (program,) = (one for one in (folder / "bare").iterdir() if one.suffix in (".json", ".pdmodel"))
    inference = paddle.inference
    configs = {
        "unwritten_parameters": inference.Config(
            str(program), str(program.with_name("model.pdiparams"))
        ),
        "folder_without_parameters": inference.Config(str(folder / "bare")),
        "folder": inference.Config(str(folder / "plain")),
    }
    deeds = {
        "run_of_a_list": (run_of_a_list, str(folder / "plain" / "model")),
        "run_of_a_list_in_a_clone": (
            lambda predictor: run_of_a_list(predictor.clone()),
            str(folder / "plain" / "model"),
        ),
        "clone_of_clone": (clone_of_clone, str(folder / "plain" / "model")),
        "clone_of_clone_without_parameters": (clone_of_clone, str(folder / "bare" / "model")),
        "saved_again": (by_handles, str(folder / "again" / "model")),
        **{name: (by_handles, config) for name, config in configs.items()},
    }
    told = {}
    for name, (deed, model) in deeds.items():
        found = deed(safe_create_predictor(model))
        told[name] = far(found, folder / f"{stored_as(name)}.npz")
    layer = safe_load(str(folder / "again" / "model"))
    told["layer_saved_again"] = far([layer(paddle.to_tensor(IMAGE)).numpy()], folder / "single.npz")
    print(json.dumps(told))


def stored_as(deed):
    if deed == "saved_again":
        return "single"
    return "bare" if "without_parameters" in deed or "unwritten" in deed else "plain"


def far(found, stored):
    with np.load(stored) as arrays:
        wanted = [arrays[name] for name in arrays.files]
    assert len(found) == len(wanted)
    return max(float(np.abs(one - other).max()) for one, other in zip(found, wanted))


if __name__ == "__main__":
    {"save": save, "load": load}[sys.argv[1]](Path(sys.argv[2]))
