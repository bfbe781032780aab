"""Recurrent layers both ways, loops and branches (statements, since to_static reads those)."""

from __future__ import annotations

from functools import partial
from typing import Any

import paddle
from paddle import nn

from matrix.families.registry import Models
from matrix.network import Input

MODELS = Models()
_SEQUENCE = {"x": Input((None, None, 6))}
_RUNS = [[(1, 4, 6)], [(3, 5, 6)]]
_ROWS = {"x": Input((None, 4))}
_ROW_RUNS = [[(1, 4)], [(3, 4)]]


class Recurrent(nn.Layer):
    """Outputs and last states of a recurrent layer."""

    def __init__(self, kind: str, direction: str, layers: int, time_major: bool) -> None:
        super().__init__()
        self.body = getattr(nn, kind)(
            6, 5, num_layers=layers, direction=direction, time_major=time_major
        )

    def forward(self, x: Any) -> Any:
        outputs, states = self.body(x)
        return outputs, states


class Cells(nn.Layer):
    """Cells run step by step by ``nn.RNN``: a loop in the program."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.body = nn.RNN(getattr(nn, kind)(6, 5))

    def forward(self, x: Any) -> Any:
        outputs, states = self.body(x)
        return outputs, states


class Lengths(nn.Layer):
    """Sequences of different lengths, padded."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.body = getattr(nn, kind)(6, 5, direction="bidirect")

    def forward(self, x: Any, lengths: Any) -> Any:
        outputs, _ = self.body(x, sequence_length=lengths)
        return outputs


class Branches(nn.Layer):
    """A branch on a value, with a branch inside."""

    def __init__(self) -> None:
        super().__init__()
        self.line, self.other = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        y = self.line(x)
        if y.mean() > x.mean():
            if y.max() > 1.0:  # noqa: SIM108
                y = self.other(y) * 2.0
            else:
                y = self.other(y) + x
        else:
            y = paddle.nn.functional.relu(y) - x
        return y


class Loop(nn.Layer):
    """As many steps as there are rows."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        step = paddle.zeros([1], "int64")
        total = x * 1.0
        while step < paddle.shape(x)[0]:
            total = paddle.tanh(self.line(total))
            step += 1
        return total, step


class LoopWithBranch(nn.Layer):
    """A loop that ends early, and takes a branch in each step."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        step = paddle.zeros([1], "int64")
        total = x * 1.0
        while (step < 6) & (total.abs().sum() < 40.0):
            if total.mean() > 0:  # noqa: SIM108
                total = self.line(total) + x
            else:
                total = total * 1.5 + 0.25
            step += 1
        return total, step


class Nested(nn.Layer):
    """A loop in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        outer = paddle.zeros([1], "int64")
        total = x * 1.0
        while outer < 3:
            inner = paddle.zeros([1], "int64")
            while inner < outer + 1:
                total = paddle.tanh(self.line(total) + x)
                inner += 1
            outer += 1
        return total


class Decoder(nn.Layer):
    """Writes words one by one, with attention over its input: how captions are read."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(12, 8)
        self.cell = nn.GRUCell(14, 8)
        self.query, self.key, self.score = nn.Linear(8, 8), nn.Linear(6, 8), nn.Linear(8, 1)
        self.word = nn.Linear(8, 12)

    def forward(self, x: Any) -> Any:
        batch = paddle.shape(x)[0]
        hidden = paddle.zeros([batch, 8])
        word = paddle.zeros([batch], "int64")
        written = paddle.zeros([batch, 7], "int64")
        step = paddle.zeros([1], "int64")
        while step < 7:
            weights = self.score(paddle.tanh(self.key(x) + self.query(hidden).unsqueeze(1)))
            context = (paddle.nn.functional.softmax(weights, 1) * x).sum(1)
            _, hidden = self.cell(paddle.concat([context, self.embed(word)], -1), hidden)
            word = self.word(hidden).argmax(-1)
            column = paddle.nn.functional.one_hot(step, 7).astype("int64")
            written = written + column * word.unsqueeze(1)
            step += 1
        return written, hidden


for _kind in ("SimpleRNN", "LSTM", "GRU"):
    for _direction in ("forward", "bidirect"):
        for _layers, _major in ((1, False), (2, True)):
            _name = f"{_kind}_{_direction}_{_layers}{'_time_major' if _major else ''}"
            _build = partial(Recurrent, _kind, _direction, _layers, _major)
            MODELS.add("recurrent", _name, _build, _SEQUENCE, _RUNS)
for _kind in ("SimpleRNNCell", "LSTMCell", "GRUCell"):
    MODELS.add("recurrent", _kind, partial(Cells, _kind), {"x": Input((None, 5, 6))}, _RUNS[1:])
for _kind in ("LSTM", "GRU"):
    _inputs = {"x": Input((None, 5, 6)), "lengths": Input((None,), "int64", 1, 6)}
    MODELS.add("recurrent", f"{_kind}_lengths", partial(Lengths, _kind), _inputs,
               [[(3, 5, 6), (3,)]])  # fmt: skip
for _build in (Branches, Loop, LoopWithBranch, Nested):
    MODELS.add("control flow", _build.__name__, _build, _ROWS, _ROW_RUNS)
MODELS.add("control flow", "Decoder", Decoder, _SEQUENCE, _RUNS)
