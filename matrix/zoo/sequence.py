"""Recurrent networks, attention and control flow that depends on tensors."""

from collections.abc import Callable
from functools import partial
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import ROWS, SEQUENCE, Family

recurrent = Family("recurrent")


class Recurrent(nn.Layer):
    """A recurrent layer and its last state, flat."""

    def __init__(self, inner: nn.Layer) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        return self.inner(x)


def _recurrent(build: Callable[[], Any]) -> Any:
    return Recurrent(build())


for name, build in {
    "simple_rnn": lambda: nn.SimpleRNN(6, 4),
    "simple_rnn_relu": lambda: nn.SimpleRNN(6, 4, activation="relu"),
    "lstm": lambda: nn.LSTM(6, 4),
    "lstm_two_layers": lambda: nn.LSTM(6, 4, num_layers=2),
    "lstm_bidirectional": lambda: nn.LSTM(6, 4, direction="bidirect"),
    "gru": lambda: nn.GRU(6, 4),
    "gru_bidirectional": lambda: nn.GRU(6, 4, direction="bidirect", num_layers=2),
    "lstm_time_major": lambda: nn.LSTM(6, 4, time_major=True),
}.items():
    recurrent.layer(name, partial(_recurrent, build), SEQUENCE)


class Cells(nn.Layer):
    """Cells stepped by hand over a fixed number of steps."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTMCell(6, 4)
        self.gru = nn.GRUCell(4, 4)

    def forward(self, x: Any) -> Any:
        y, (hidden, cell) = self.lstm(x[:, 0])
        y, (hidden, cell) = self.lstm(x[:, 1], (hidden, cell))
        return self.gru(y)[0]


recurrent.layer("cells", Cells, Input((None, 3, 6)))


class Masked(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.GRU(6, 4)

    def forward(self, x: Any, y: Any) -> Any:
        return self.inner(x, sequence_length=y)


recurrent.layer("gru_lengths", Masked, Input((None, 5, 6)), Input((None,), "int64", 1, 6))

attention = Family("attention")
WORDS = Input((None, None, 8))


class SelfAttention(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.MultiHeadAttention(8, 2)

    def forward(self, x: Any) -> Any:
        return self.inner(x)


class CrossAttention(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.MultiHeadAttention(8, 2)

    def forward(self, x: Any, y: Any) -> Any:
        return self.inner(x, y, y)


class Decoder(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.1)

    def forward(self, x: Any, y: Any) -> Any:
        return self.inner(x, y)


class Causal(nn.Layer):
    """Attention written out, with a mask made from the length at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 8)

    def forward(self, x: Any) -> Any:
        shape = paddle.shape(x)
        qkv = self.qkv(x).reshape([shape[0], shape[1], 3, 2, 4]).transpose([2, 0, 3, 1, 4])
        scores = paddle.matmul(qkv[0], qkv[1], transpose_y=True) * 0.5
        mask = paddle.triu(paddle.ones([shape[1], shape[1]]) * -1e4, 1)
        weights = F.softmax(scores + mask, axis=-1)
        y = paddle.matmul(weights, qkv[2]).transpose([0, 2, 1, 3])
        return self.out(y.reshape([shape[0], shape[1], 8]))


class Window(nn.Layer):
    """A shifted window, as Swin has it."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.attention = nn.MultiHeadAttention(4, 2)

    def forward(self, x: Any) -> Any:
        shifted = paddle.roll(x.transpose([0, 2, 3, 1]), [-1, -1], [1, 2])
        windows = shifted.reshape([-1, 2, 2, 2, 2, 4]).transpose([0, 1, 3, 2, 4, 5])
        windows = self.attention(self.norm(windows.reshape([-1, 4, 4])))
        merged = windows.reshape([-1, 2, 2, 2, 2, 4]).transpose([0, 1, 3, 2, 4, 5])
        return paddle.roll(merged.reshape([-1, 4, 4, 4]), [1, 1], [1, 2])


class Patches(nn.Layer):
    """A small vision transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Conv2D(3, 8, 2, 2)
        self.token = self.create_parameter([1, 1, 8])
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, "gelu", normalize_before=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        y = self.embed(x).flatten(2).transpose([0, 2, 1])
        token = self.token.expand([paddle.shape(y)[0], 1, 8])
        return self.head(self.encoder(paddle.concat([token, y], axis=1))[:, 0])


attention.layer("self_attention", SelfAttention, WORDS)
attention.layer("cross_attention", CrossAttention, WORDS, WORDS)
attention.layer("decoder", Decoder, WORDS, WORDS)
attention.layer("causal_attention", Causal, WORDS)
attention.layer("shifted_window", Window, Input((None, 4, 4, 4)))
attention.layer("vision_transformer", Patches, Input((None, 3, 6, 6)))
attention.op(
    "scaled_dot_product",
    lambda x, y: F.scaled_dot_product_attention(x, y, y, training=False),
    Input((None, 5, 2, 4)),
    Input((None, 5, 2, 4)),
)

control = Family("control flow")


class Control(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)


class While(Control):
    def forward(self, x: Any) -> Any:
        i = paddle.zeros([1], "int64")
        while i < 3:
            x = F.tanh(self.linear(x))
            i = i + 1
        return x


class WhileValue(Control):
    def forward(self, x: Any) -> Any:
        while paddle.abs(x).sum() > 1.0:
            x = x * 0.5
        return self.linear(x)


class ForRange(Control):
    def forward(self, x: Any) -> Any:
        total = paddle.zeros_like(x)
        for _ in range(paddle.shape(x)[0]):
            total = total + self.linear(x)
        return total


class If(Control):
    def forward(self, x: Any) -> Any:
        if x.mean() > 0:  # noqa: SIM108 (a statement is what is to be converted)
            y = self.linear(x)
        else:
            y = x - 1.0
        return y


class IfNested(Control):
    def forward(self, x: Any, y: Any) -> Any:
        if x.mean() > 0:
            if y.mean() > 0:  # noqa: SIM108 (a statement is what is to be converted)
                z = x + y
            else:
                z = x - y
        else:
            z = self.linear(x) * y
        return z


class EarlyReturn(Control):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            return self.linear(x)
        return x * 2.0


class LoopWithBranch(Control):
    def forward(self, x: Any) -> Any:
        i = paddle.zeros([1], "int64")
        while i < 4:
            if i % 2 == 0:  # noqa: SIM108 (a statement is what is to be converted)
                x = x + 1.0
            else:
                x = self.linear(x) * 0.5
            i = i + 1
        return x


class TwoStates(Control):
    """Outputs swap if a converter loses the order of loop variables."""

    def forward(self, x: Any, y: Any) -> Any:
        i = paddle.zeros([1], "int64")
        while i < 3:
            x, y = x + y * 0.5, x - y
            i = i + 1
        return self.linear(x), y


class PartsInLoop(Control):
    """The parts of a list that was taken apart outside."""

    def forward(self, x: Any) -> Any:
        left, right = paddle.chunk(self.linear(x), 2, axis=-1)
        i = paddle.zeros([1], "int64")
        y = paddle.zeros_like(left)
        while i < 3:
            y = y * 0.5 + left - right
            i = i + 1
        return y


class NormalisedWeight(nn.Layer):
    """A weight that every call computes, and stores."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.utils.weight_norm(nn.Linear(6, 6))

    def forward(self, x: Any) -> Any:
        return self.linear(x)


for name, build, count in [
    ("while", While, 1),
    ("parts_in_loop", PartsInLoop, 1),
    ("normalised_weight", NormalisedWeight, 1),
    ("while_value", WhileValue, 1),
    ("for_range", ForRange, 1),
    ("if", If, 1),
    ("if_nested", IfNested, 2),
    ("early_return", EarlyReturn, 1),
    ("loop_with_branch", LoopWithBranch, 1),
    ("two_states", TwoStates, 2),
]:
    control.layer(name, build, *[ROWS] * count)
control.op(
    "cond_function",
    lambda x: paddle.static.nn.cond(x.sum() > 0, lambda: x + 1.0, lambda: x - 1.0),
    ROWS,
)
