"""Run by a release's interpreter: saves a layer with safe_save, or loads it with Paddle's own call.

    python recurrent.py save FOLDER LAYER [INTERPRETER]
    python recurrent.py load FOLDER
    python recurrent.py predict FOLDER SUFFIX

Prints one JSON object.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import numpy as np  # noqa: E402 - after the path
import paddle  # noqa: E402


class Recurrent(paddle.nn.Layer):
    """What 3.x cannot save in legacy form: an LSTM, and a transformer's encoder."""

    def __init__(self):
        super().__init__()
        self.table = paddle.nn.Embedding(10, 8)
        self.lstm = paddle.nn.LSTM(8, 6)
        layer = paddle.nn.TransformerEncoderLayer(6, 2, 12)
        self.encoder = paddle.nn.TransformerEncoder(layer, 1)

    def forward(self, ids):
        return self.encoder(self.lstm(self.table(ids))[0])


class Parameterless(paddle.nn.Layer):
    """What the predictor of 3.0 refuses as it is (CL210)."""

    def forward(self, ids):
        return paddle.nn.functional.relu(ids.astype("float32") - 2.0)


def save(folder: Path, kind: str, interpreter: str | None = None) -> dict[str, object]:
    from compatload import safe_save

    layer = {"recurrent": Recurrent, "parameterless": Parameterless}[kind]()
    layer.eval()
    spec = [paddle.static.InputSpec([None, None], "int64", "ids")]
    prefix = str(folder / "model")
    record = safe_save(
        layer, prefix, spec, loadable_by=">=2.6", interpreters=[interpreter] if interpreter else []
    )
    ids = np.array([[1, 2, 3], [4, 5, 6]], "int64")
    np.savez(folder / "io.npz", ids=ids, out=layer(paddle.to_tensor(ids)).numpy())
    return {"formats": list(record.formats), "files": sorted(record.files)}


def load(folder: Path) -> dict[str, object]:
    with np.load(folder / "io.npz") as stored:
        ids, expected = stored["ids"], stored["out"]
    layer = paddle.jit.load(str(folder / "model"))
    layer.eval()
    found = layer(paddle.to_tensor(ids)).numpy()
    return {"difference": float(np.abs(found - expected).max())}


def predict(folder: Path, suffix: str) -> dict[str, object]:
    with np.load(folder / "io.npz") as stored:
        ids, expected = stored["ids"], stored["out"]
    weights = folder / "model.pdiparams"
    program = folder / f"model{suffix}"
    config = paddle.inference.Config(str(program), str(weights) if weights.exists() else "")
    config.disable_glog_info()
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(ids)
    predictor.run()
    found = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    return {"difference": float(np.abs(found - expected).max())}


if __name__ == "__main__":
    what, place, *rest = sys.argv[1:]
    result = {"save": save, "load": load, "predict": predict}[what](Path(place), *rest)
    print("\n" + json.dumps(result))
