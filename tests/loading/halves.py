"""Runs inside a real Paddle: whole networks in half precision, on a CPU.

python halves.py save FOLDER   saves them (2.6 does; 3.x traces only what a CPU has kernels for)
python halves.py load FOLDER   prints, by network and API: how far off it is, or the error's class
"""

import json
import logging
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import nn  # noqa: E402
from paddle.nn import functional  # noqa: E402

from tests.loading.bfloat16 import APIS, X  # noqa: E402


class Pictures(nn.Layer):
    """Convolutions, statistics that are stored, pools, interpolation."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.Hardswish())
        self.down = nn.Conv2D(4, 8, 2, 2)
        self.up = nn.Conv2DTranspose(8, 4, 2, 2)

    def forward(self, x):
        y = self.first(x)
        y = paddle.concat([y, self.up(functional.gelu(self.down(y)))], 1)
        y = functional.interpolate(functional.softmax(y, 1), scale_factor=2, mode="nearest")
        return functional.max_pool2d(y, 2)


class Words(nn.Layer):
    """An encoder of transformers over rows."""

    def __init__(self):
        super().__init__()
        self.inner = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0)

    def forward(self, x):
        return self.inner(x[:, 0]).mean(1)


class Cast(nn.Layer):
    def __init__(self, layer, kind):
        super().__init__()
        self.layer, self.kind = layer, kind

    def forward(self, x):
        return self.layer(x.astype(self.kind)).astype("float32")


NETWORKS = {
    f"{made.__name__}.{kind}": (made, kind)
    for made in (Pictures, Words)
    for kind in ("float16", "bfloat16")
}


def save(folder):
    for name, (made, kind) in NETWORKS.items():
        paddle.seed(0)
        layer = made()
        layer.eval()
        with paddle.no_grad():
            np.save(folder / f"{name}.npy", layer(paddle.to_tensor(X)).numpy())
        layer.to(dtype=kind)
        cast = Cast(layer, kind)
        cast.eval()
        spec = [paddle.static.InputSpec([None, 3, 6, 6], "float32", "x")]
        paddle.jit.save(cast, str(folder / name / "model"), input_spec=spec)


def told(load, prefix, wanted):
    try:
        output = load(prefix)
    except Exception as error:
        return type(error).__name__
    output = output[0] if isinstance(output, (list, tuple)) else output
    found = output if isinstance(output, np.ndarray) else output.numpy()
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    place = Path(sys.argv[2])
    if sys.argv[1] == "save":
        save(place)
    else:
        wanted = {name: np.load(place / f"{name}.npy") for name in NETWORKS}
        found = {
            name: {
                api: told(load, place / name / "model", wanted[name]) for api, load in APIS.items()
            }
            for name in NETWORKS
        }
        print(json.dumps(found))
