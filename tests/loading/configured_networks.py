"""Networks of the matrix with Configs that leave something out; run in Paddle 3.x or 2.6.

    python configured_networks.py save FOLDER NETWORK
    python configured_networks.py paddle|compatload FOLDER CONFIG

The second prints the largest difference from what the layer computed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paddle
from paddle import inference, nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from matrix.named_configs import NAMED, NamedConfig  # noqa: E402

# As a caller leaves placement out, who knows of one fault alone.
UNPLACED = NamedConfig("unplaced", "", (("delete_pass", ("onednn_placement_pass",)),))
# As a plan leaves out what takes a number that a loop changes for a constant (CL241).
UNFOLDED = NamedConfig("unfolded", "", (("delete_pass", ("constant_folding_pass",)),))
CONFIGS = {**NAMED, **{one.name: one for one in (UNPLACED, UNFOLDED)}}
# Memory that was given back holds the numbers of the run before, for a while.
RUNS = 24


class Shared(nn.Layer):
    """One convolution, with a normalisation behind it at one of two levels."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 3, padding=1, bias_attr=False)
        self.norm = nn.BatchNorm2D(4)
        self.norm.weight.set_value(paddle.linspace(0.5, 2, 4))

    def forward(self, x):
        image = x.reshape([-1, 3, 4, 4])
        return self.norm(self.convolution(image)), self.convolution(image * 2)


class BothWays(nn.Layer):
    """Two values that are multiplied either way."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(48, 48)

    def forward(self, x):
        left = self.linear(x).reshape([-1, 4, 4])
        right = paddle.sin(x).reshape([-1, 4, 4])
        return paddle.matmul(left, right), paddle.matmul(right, left)


class Overwritten(nn.Layer):
    """A layer that is read after what oneDNN would run, and something that it may not run."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(48, 48)

    def forward(self, x):
        y = self.linear(x)
        return F.softplus(y, beta=3, threshold=1.5), paddle.exp(y) + y, paddle.tanh(y) * 2 + y


class ReadInLoop(nn.Layer):
    """A layer that a loop reads, and something that oneDNN may not run."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(48, 48)

    def forward(self, x):
        y = F.relu(self.linear(x))
        count, state = paddle.zeros([1], "int64"), paddle.zeros_like(x)
        state = paddle.static.nn.while_loop(
            lambda count, state: count < 3,
            lambda count, state: [count + 1, paddle.tanh(state * 0.5 + y)],
            [count, state],
        )[1]
        return state, F.softplus(x, beta=3, threshold=1.5)


class Biased(nn.Layer):
    """Convolutions with biases, which every network of images has."""

    def __init__(self):
        super().__init__()
        self.convolution, self.another = nn.Conv2D(3, 4, 3), nn.Conv2D(4, 4, 1)
        self.convolution.bias.set_value(paddle.linspace(1, 4, 4))
        self.another.bias.set_value(paddle.linspace(9, 6, 4))

    def forward(self, x):
        image = F.relu(self.convolution(x.reshape([-1, 3, 4, 4])))
        return F.relu(self.another(image))


class Rows(nn.Layer):
    """The same, read row by row in a loop that counts in place."""

    def __init__(self):
        super().__init__()
        self.biased = Biased()
        self.rows = nn.RNN(nn.GRUCell(8, 4))

    def forward(self, x):
        y = self.biased(x)
        states, last = self.rows(y.transpose([0, 2, 1, 3]).flatten(2))
        return states, last, 1 / (y + 1)


_ALL = (Shared, BothWays, Overwritten, ReadInLoop, Biased, Rows)
NETWORKS = {one.__name__: one for one in _ALL}


def save(folder, name):
    paddle.seed(1)
    layer = NETWORKS[name]()
    layer.eval()
    x = paddle.linspace(-2, 2, 96).reshape([2, 48])
    made = layer(x)
    made = made if isinstance(made, (list, tuple)) else [made]
    stored = {str(number): one.numpy() for number, one in enumerate(made)}
    spec = paddle.static.InputSpec([None, 48], "float32", "x")
    paddle.jit.save(layer, str(folder / "model"), input_spec=[spec])
    np.savez(folder / "io.npz", x=x.numpy(), **stored)


def run(who, folder, name):
    make = inference.create_predictor
    if who == "compatload":
        from compatload import safe_create_predictor as make
    (program,) = [*folder.glob("model.json"), *folder.glob("model.pdmodel")]
    config = inference.Config(str(program), str(folder / "model.pdiparams"))
    CONFIGS[name].apply(config)
    predictor = make(config)
    with np.load(folder / "io.npz") as io:
        saved = dict(io)
    largest, taken = 0.0, []
    for number in range(RUNS):
        rows = 1 + number % 2
        x = np.ascontiguousarray(saved["x"][:rows])
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
        predictor.run()
        taken += [np.full(size, 7.0, "float32") for size in range(1, 200)]
        names = predictor.get_output_names()
        found = [predictor.get_output_handle(one).copy_to_cpu() for one in names]
        wanted = (saved[str(k)][: len(one)] for k, one in enumerate(found))
        differences = (np.abs(one - other) for one, other in zip(found, wanted))
        largest = max(largest, *(one.max() for one in differences))
    print(largest)


if sys.argv[1] == "save":
    save(Path(sys.argv[2]), sys.argv[3])
else:
    run(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
