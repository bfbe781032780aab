"""Loads of a model that safe_save wrote, in a real Paddle: what ``verify`` finds, and what not.

    python recorded_loads.py save FOLDER
    python recorded_loads.py check FOLDER    a JSON object: what was done → what came of it

A sound model is loaded before each changed one, so that nothing is found thanks to a fresh process.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402

from compatload import (  # noqa: E402
    CompatLoadError,
    safe_create_predictor,
    safe_load,
    safe_load_inference_model,
    safe_save,
)

RECORD = "model.compatload"
WEIGHTS = "model.pdiparams"
WAYS = {"whole": True, "default": None, "off": False}
INPUT = np.linspace(-1, 1, 12, dtype="float32").reshape(2, 6)


def save(folder):
    paddle.seed(5)
    layer = paddle.nn.Sequential(paddle.nn.Linear(6, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 3))
    layer.eval()
    spec = [paddle.static.InputSpec([None, 6], "float32", "x")]
    safe_save(layer, str(folder / "model"), spec)
    np.save(folder / "expected.npy", layer(paddle.to_tensor(INPUT)).numpy())


def program(folder):
    return next(path for path in folder.iterdir() if path.suffix in (".json", ".pdmodel"))


def sound(folder):
    """As it was saved."""


def weights_changed(folder):
    """One value of the weights, and not their size."""
    path = folder / WEIGHTS
    data = bytearray(path.read_bytes())
    data[-3] ^= 0x40
    path.write_bytes(data)


def weights_grown(folder):
    with (folder / WEIGHTS).open("ab") as stream:
        stream.write(b"\0")


def program_changed(folder):
    """One letter of a text in it, and neither its size nor what it computes."""
    path = program(folder)
    data = path.read_bytes()
    before = b"/Linear" if path.suffix == ".json" else b"Linear"
    at = data.index(before) if before in data else data.index(b"/", data.index(b"op_namescope"))
    path.write_bytes(data[:at] + b"." + data[at + 1 :])


def output_changed(folder):
    """The recorded output of the sample: as if the model computed something else now."""
    path = folder / RECORD
    record = json.loads(path.read_text(encoding="utf-8"))
    (stored,) = record["outputs"]
    values = np.frombuffer(base64.b64decode(stored["values"]), stored["dtype"]) + 1
    stored["values"] = base64.b64encode(values.astype(stored["dtype"]).tobytes()).decode("ascii")
    path.write_text(json.dumps(record), encoding="utf-8")


def record_cut_short(folder):
    path = folder / RECORD
    path.write_bytes(path.read_bytes()[:100])


def record_gone(folder):
    (folder / RECORD).unlink()


CHANGES = (
    *(sound, weights_changed, weights_grown, program_changed),
    *(output_changed, record_cut_short, record_gone),
)


def loaded(prefix, verify, expected):
    """The error with the files that it names, or how the numbers are."""
    try:
        layer = safe_load(prefix, verify=verify)
    except CompatLoadError as error:
        text = str(error)
        named = [name for name in (WEIGHTS, "model.json", "model.pdmodel") if name in text]
        told = "other numbers" if "other numbers" in text else " ".join(named)
        return f"{type(error).__name__}: {told}"
    layer.eval()
    found = layer(paddle.to_tensor(INPUT)).numpy()
    return "same" if np.abs(found - expected).max() < 1e-5 else "differs"


def refused(prefix):
    """Which of the two drop-ins without ``verify`` refuse the model."""
    executor = paddle.static.Executor(paddle.CPUPlace())
    found = []
    for call in (
        lambda: safe_create_predictor(prefix),
        lambda: safe_load_inference_model(prefix, executor),
    ):
        try:
            call()
        except CompatLoadError as error:
            found.append(type(error).__name__)
    return found


def check(folder):
    expected = np.load(folder / "expected.npy")
    told = {}
    for change in CHANGES:
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place, "copy")
            shutil.copytree(folder, copy)
            assert loaded(str(copy / "model"), None, expected) == "same"
            change(copy)
            told[change.__name__] = {
                name: loaded(str(copy / "model"), verify, expected) for name, verify in WAYS.items()
            }
            told[change.__name__]["others"] = refused(str(copy / "model"))
    return told


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save(Path(sys.argv[2]))
    else:
        print("\n" + json.dumps(check(Path(sys.argv[2]))))
