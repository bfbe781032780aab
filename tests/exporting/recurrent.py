"""Run by a release's interpreter: saves a layer with safe_save, or loads it with Paddle's own call.

    python recurrent.py save FOLDER [INTERPRETER]
    python recurrent.py load FOLDER

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


def save(folder: Path, interpreter: str | None) -> dict[str, object]:
    from compatload import safe_save

    layer = Recurrent()
    layer.eval()
    spec = [paddle.static.InputSpec([None, None], "int64", "ids")]
    prefix = str(folder / "model")
    record = safe_save(layer, prefix, spec, loadable_by=">=2.6", interpreter=interpreter)
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


if __name__ == "__main__":
    what, place, *rest = sys.argv[1:]
    result = save(Path(place), *(rest or [None])) if what == "save" else load(Path(place))
    print("\n" + json.dumps(result))
