"""Small models that are exported in the tests, each with what it is to show."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import paddle
from paddle.static import InputSpec

Saved = Callable[..., dict[str, object]]


class Classifier(paddle.nn.Layer):
    """Convolution, batch norm, dropout: other numbers in training than in eval mode."""

    def __init__(self):
        super().__init__()
        self.stem = paddle.nn.Conv2D(3, 8, 3, padding=1)
        self.norm = paddle.nn.BatchNorm2D(8)
        self.drop = paddle.nn.Dropout(0.5)
        self.head = paddle.nn.Linear(8, 5)

    def forward(self, x):
        x = paddle.nn.functional.relu(self.norm(self.stem(x)))
        return self.head(self.drop(x.mean(axis=[2, 3])))


class Heads(paddle.nn.Layer):
    """Nested outputs, integers among them."""

    def forward(self, x):
        return {"scores": paddle.nn.functional.softmax(x), "best": x.argmax(axis=-1)}, [x * 2.0]


class Embedded(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = paddle.nn.Embedding(10, 4)
        self.lstm = paddle.nn.LSTM(4, 6)

    def forward(self, ids):
        return self.lstm(self.table(ids))[0]


class Noisy(paddle.nn.Layer):
    def forward(self, x):
        return x + paddle.rand([4])


class UnusedBesideDict(paddle.nn.Layer):
    """An input that leads nowhere, and code whose conversion changes what is computed (CL411)."""

    def forward(self, x, count, y):
        state = {"double": True, "value": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            state = state
            state["value"] = state["value"] + 1.0
            turn = turn + 1
        if state["double"] is True:
            return state["value"] * 2.0
        return state["value"]


class Unused(paddle.nn.Layer):
    def forward(self, x, y):
        return x * 2.0


class Rounded(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return paddle.round(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class CallsPython(paddle.nn.Layer):
    """Its gradient is a Python function of the process."""

    def forward(self, x):
        return Rounded.apply(x) * x


class Broken(paddle.nn.Layer):
    def forward(self, x):
        raise RuntimeError("no such thing")


SPEC = [InputSpec([None, 4], "float32", "x")]
IMAGE = [InputSpec([None, 3, None, None], "float32", "image")]


def training(saved: Saved) -> dict[str, object]:
    layer = Classifier()
    layer.train()
    layer.norm.eval()
    return saved(layer, IMAGE)


def traced_before(saved: Saved) -> dict[str, object]:
    """RT-DETR's make: converted by the default tracer first, whose program nobody may ask for."""
    layer = paddle.jit.to_static(Classifier(), input_spec=IMAGE)
    try:
        layer.forward.main_program  # noqa: B018 - what exporting tools read
        told = "read"
    except RuntimeError as error:
        told = str(error)
    return {**saved(layer, None), "main_program": told}


def in_static_mode(saved: Saved) -> dict[str, object]:
    layer = Classifier()
    paddle.enable_static()
    try:
        return saved(layer, IMAGE)
    finally:
        paddle.disable_static()


def legacy_traced(saved: Saved) -> dict[str, object]:
    """With PIR off: what the default tracer says, and what safe_save does."""
    layer = Classifier()
    layer.eval()
    static = paddle.jit.to_static(Classifier())
    try:
        static(paddle.rand([1, 3, 8, 8]))
        told = "called"
    except Exception as error:
        told = str(error)
    return {**saved(layer, IMAGE), "traced": told}


def no_place(saved: Saved) -> dict[str, object]:
    """Nothing says what the inputs are."""
    from compatload.errors import UsageError

    try:
        return saved(Heads(), None)
    except UsageError as error:
        return {"outcome": "UsageError", "text": str(error), "touched": [], "files": []}


def overwrites(saved: Saved) -> dict[str, object]:
    """A second save over the first, and one of another format beside it."""
    import os
    import tempfile
    from pathlib import Path

    from compatload.errors import ExportError
    from compatload.exporting.safe_save import safe_save

    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "deep", "er", "model"))
        layer = Classifier()
        layer.eval()
        first = safe_save(layer, prefix, IMAGE)
        layer.head.weight.set_value(layer.head.weight * 2.0)
        second = safe_save(layer, prefix, IMAGE)
        differs = first.files["model.pdiparams"] != second.files["model.pdiparams"]
        other = ".pdmodel" if "model.json" in second.files else ".json"
        Path(prefix + other).write_bytes(b"other")
        try:
            safe_save(layer, prefix, IMAGE)
            told = "saved"
        except ExportError as error:
            told = str(error)
        left = sorted(name for name in os.listdir(Path(prefix).parent) if name.startswith("."))
    return {"differs": differs, "beside": told, "left": left}


class Keeping(paddle.nn.Layer):
    """Keeps what it computed where others may look at it, and returns what a state was."""

    def __init__(self, *, declared: bool, state: bool = False) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)
        self.state = paddle.ones([4]) if state else None
        if declared:
            self.register_buffer("weights", None)
        self.register_buffer("last", paddle.ones([4]))

    def forward(self, x):
        self.weights = paddle.nn.functional.softmax(self.linear(x))
        if self.state is not None:
            self.state = self.state * 0.5 + 1.0
            return x * self.weights + self.state
        return x * self.weights * self.last


class Frequencies(paddle.nn.Layer):
    """A few of those of a signal of any length, whose number Paddle counts wrongly (CL457)."""

    def forward(self, x):
        return paddle.abs(paddle.fft.rfft(x)[:, :2]), paddle.cumsum(x)[2:4]


class Seen(paddle.nn.Layer):
    """What it saw before is in buffers that a run changes in place."""

    def __init__(self, *, counted: bool) -> None:
        super().__init__()
        self.register_buffer("seen", paddle.zeros([16, 4]))
        self.counted = counted

    def forward(self, x):
        if self.counted:
            self.seen.add_(x.mean(0))
            return x - self.seen[0]
        self.seen[: x.shape[0]] = x
        return self.seen.sum(0)


class PythonNumbers(paddle.nn.Layer):
    """Counts with its sizes by what Python has for numbers."""

    def forward(self, x):
        size = x.shape[1]
        rows, rest = divmod(size, 7)
        most = max(min(size - 3, 50), 1, rest)
        padded = (
            math.ceil(size / 32) * 32 + round(rows / 2) + int(size * 0.7) - math.floor(-size / 7)
        )
        y = x[:, :most] / math.sqrt(size)
        for place in reversed(range(rest)):
            y = y * 0.5 + place
        if any([x.max() > 0.5, x.min() < -0.5]):
            y = y + 1.0
        return paddle.concat([y, paddle.zeros([x.shape[0], padded])], axis=1)


class Counting(paddle.nn.Layer):
    """What Paddle's own functions make of a size that they take for -1 (CL457)."""

    def forward(self, x):
        waves = paddle.abs(paddle.fft.fft(x, n=5, axis=0)), paddle.abs(paddle.fft.rfft(x, n=2))
        spread = paddle.linalg.cov(x)
        return *waves, paddle.trapezoid(x, axis=0), paddle.diff(x, axis=0), spread


class Splitting(paddle.nn.Layer):
    """Parts of an axis of any length, and what one frame is repeated for (CL457)."""

    def forward(self, x):
        first, second = paddle.tensor_split(x, 2)
        begin, rest = paddle.vsplit(x, [1])
        return first, second, begin, rest, paddle.signbit(x - 0.5), paddle.block_diag([x, x])


class Viewed(paddle.nn.Layer):
    """Functions that are there for Tensors only (CL458)."""

    def forward(self, x):
        rows = x.view([x.shape[0], 2, 2])
        places = paddle.as_strided(x, [2, 2], [1, 1], 4)
        square = paddle.ones([4, 4]) * x.mean()
        square.fill_diagonal_(0.5, offset=1)
        return rows, rows.view_as(x), x.unfold(1, 2, 1), places, square


class Changed(paddle.nn.Layer):
    """Changes in place whose result nobody takes (CL438)."""

    def forward(self, x):
        y = x * 2.0
        same = y
        y.add_(x).scale_(0.5)
        paddle.nn.functional.relu_(y)
        y[:, 1:].clip_(max=1.0)
        left = y[:, :2]
        left[:, 0] = 0.125
        y.T[1] = y.T[1] * 0.5
        right = x * 3.0
        paddle.assign(y * 0.75, right)
        early = same * 1.0 + left.sum() + right
        if x.mean() > 0.25:
            y.tanh_()
        count = paddle.zeros([1])
        while count < 3:
            y.subtract_(x)
            count.add_(paddle.ones([1]))
        x = x + 1.0
        x.zero_()
        return y + x, early


class Typed(paddle.nn.Layer):
    """Results that are no numbers of their input's type (CL459)."""

    def forward(self, x):
        every = paddle.all(x, axis=-1).astype("float32") * 2.0
        return every, paddle.equal_all(x, x).astype("float32") * 2.0, x * 2.0


class Forms(paddle.nn.Layer):
    """Python that Paddle does not make a program of, in what is called as well."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        y, kept = self.inner(x), None
        for row in y:
            kept = row if kept is None else paddle.tanh(kept) + row
        for row, other in zip(y, x):
            kept = kept + row * other
        mode = "up" if 0 < y.mean() < 2 else "down"
        y = self.chosen(y)
        rows = []
        for place in range(x.shape[0]):
            rows.extend([y[place], y[place] * 2.0])
        if mode == "up":
            y = y * float(np.max(x.numpy()))
        places = paddle.to_tensor(np.arange(x.shape[0]).astype("float32"))
        squares = paddle.stack([row * row for row in y if row.sum() > -1000])
        return y + places.unsqueeze(-1) + kept, squares, paddle.stack(rows)

    def chosen(self, y):
        for place in range(y.shape[0]):
            if y[place].sum() < -50:
                return y * 0.5
        else:
            y = y + 1.0
        return y


class OfSizes(paddle.nn.Layer):
    """Decides and fills up by sizes that are not known."""

    def forward(self, x):
        places = x.shape[1]
        if places % 4 != 0:
            behind = [0, 4 - places % 4]
            x = paddle.nn.functional.pad(x.unsqueeze(0), behind, data_format="NCL").squeeze(0)
        if x.shape[0] in (1, 3) or x.shape[0] & 2:
            x = x * 2.0
        if places * 0.1 > 0.3:
            x = x + sorted([x.shape[0], x.shape[1]])[0]
        return list(map(paddle.sum, [x, x * 2.0]))


class LookedUp(paddle.nn.Layer):
    """Asks a dict for a size that is not known (CL460)."""

    def forward(self, x):
        return x * {5: 3.0}.get(x.shape[0], 1.0)


class Decoding(paddle.nn.Layer):
    """Kills the process (3.2) where every length is 0, as those of samples may be."""

    def forward(self, x, lengths):
        scores, path = paddle.text.viterbi_decode(x, x.mean(0)[:4], lengths, False)
        return scores, path


class Masked(paddle.nn.Layer):
    """A mask from a diagonal that sizes tell, and a window that is a buffer (CL458)."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", paddle.to_tensor([0.1, 0.7, 0.7, 0.1]))

    def forward(self, x, before):
        places = x.shape[1]
        every = places + before.shape[1]
        seen = paddle.tril(paddle.ones([places, every]), every - places)
        later = paddle.triu(paddle.ones([places, every]), diagonal=every - places + 1)
        signal = paddle.concat([x, before, x, x, x], 1)
        parts = paddle.signal.stft(signal, 4, 2, window=self.window, center=False)
        return x.unsqueeze(-1) * seen - later, parts.abs()


class Aligned(paddle.nn.Layer):
    """Asks for more memory than there is (2.6) where boxes are as large as samples may be."""

    def forward(self, x, boxes):
        count = paddle.ones([x.shape[0]], "int32")
        return paddle.vision.ops.roi_align(x, boxes, count, 3, aligned=True)


class Growing(paddle.nn.Layer):
    """Keeps what a branch computed, of which 3.x dies as it deletes the program (CL454)."""

    def __init__(self):
        super().__init__()
        self.grow(16)

    def grow(self, places):
        self.most = places
        self.angles = paddle.arange(places, dtype="float32").cos()

    def forward(self, x):
        places = x.shape[1]
        if places > self.most:
            self.grow(places)
        return x * self.angles[:places]


class Rows(paddle.nn.Layer):
    """A list that each turn of a loop begins anew: its program ends the process (2.6)."""

    def forward(self, x):
        rows = []
        for i in range(x.shape[0]):
            row = []
            for j in range(x.shape[1]):
                row.append(x[i, j] * 2.0)
            rows.append(paddle.stack(row))
        return paddle.stack(rows)


class Anchors:
    """No layer: what it keeps is no buffer (CL462)."""

    def __init__(self):
        self.cell = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        self.cells = {"last": [paddle.to_tensor([4.0, 3.0, 2.0, 1.0])]}


class Outside(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.anchors = Anchors()

    def forward(self, x):
        return x + self.anchors.cell * self.anchors.cells["last"][0]


class Assigning(paddle.nn.Layer):
    """Assigns in the condition of a loop (CL461)."""

    def forward(self, x):
        while (mean := x.mean()) > 0.1:
            x = x - mean * 0.5
        return x * 1.0


class Doubling(paddle.nn.Layer):
    def forward(self, x):
        return x * 2.0


class Between(Doubling):
    def forward(self, x):
        return super().forward(x) + 0.0


class Inner(Between):
    def forward(self, *given):
        x = super().forward(given[0])
        while True:
            x = x + 1.0
            if x.sum() > 9:
                return x


class Begun(paddle.nn.Layer):
    """States of a loop that begin as one Tensor, and one that begins as an input (CL422)."""

    def forward(self, x):
        first = second = paddle.zeros_like(x)
        third, count = x, paddle.zeros([1], "int64")
        while count < 3:
            first, second = first + 1.0, second * 0.5 + first
            third, count = third * 0.5 + 1.0, count + 1
        return first, second, third * x


class Above(paddle.nn.Layer):
    """A bool in front of a number: an order that jit.load of 2.6 does not keep (CL133)."""

    def forward(self, x):
        return x > 0.5, x * 2.0, x.sum()


def kept(saved: Saved, layer: paddle.nn.Layer) -> dict[str, object]:
    """Saved when it was run, as after training."""
    layer(paddle.ones([2, 4]))
    return saved(layer, SPEC)


MODELS: dict[str, Callable[[Saved], dict[str, object]]] = {
    "training": training,
    "traced_before": traced_before,
    "in_static_mode": in_static_mode,
    "legacy_traced": legacy_traced,
    "no_place": no_place,
    "overwrites": overwrites,
    "heads": lambda saved: saved(Heads(), SPEC),
    "embedded": lambda saved: saved(Embedded(), [InputSpec([None, None], "int64", "ids")]),
    "noisy": lambda saved: saved(Noisy(), SPEC),
    "unused_beside_dict": lambda saved: saved(
        UnusedBesideDict(),
        [
            InputSpec([2, 4], "float32", "x"),
            InputSpec([], "int64", "count"),
            InputSpec([None, 4], "float32", "y"),
        ],
    ),
    "unused": lambda saved: saved(Unused(), [*SPEC, InputSpec([None, 4], "float32", "y")]),
    "kept": lambda saved: kept(saved, Keeping(declared=False)),
    "kept_as_declared": lambda saved: kept(saved, Keeping(declared=True)),
    "declared_and_not_run": lambda saved: saved(Keeping(declared=True), SPEC),
    "state": lambda saved: kept(saved, Keeping(declared=False, state=True)),
    "begun": lambda saved: saved(Begun(), SPEC),
    "above": lambda saved: saved(Above(), SPEC),
    "seen": lambda saved: saved(Seen(counted=True), SPEC),
    "cached": lambda saved: saved(Seen(counted=False), SPEC),
    "python_numbers": lambda saved: saved(
        PythonNumbers(),
        [InputSpec([None, None], "float32", "x")],
        [np.full((2, 90), 0.75, "float32")],
    ),
    "counting": lambda saved: saved(Counting(), SPEC),
    "splitting": lambda saved: saved(Splitting(), SPEC),
    "viewed": lambda saved: saved(Viewed(), SPEC),
    "changed": lambda saved: saved(Changed(), SPEC),
    "forms": lambda saved: saved(Forms(), [InputSpec([None, 4], "float32", "x")]),
    "of_sizes": lambda saved: saved(OfSizes(), [InputSpec([None, None], "float32", "x")]),
    "looked_up": lambda saved: saved(LookedUp(), SPEC),
    "masked": lambda saved: saved(
        Masked(),
        [InputSpec([None, None], "float32", "x"), InputSpec([None, None], "float32", "before")],
    ),
    "aligned": lambda saved: saved(
        Aligned(),
        [
            InputSpec([None, 3, None, None], "float32", "x"),
            InputSpec([None, 4], "float32", "boxes"),
        ],
    ),
    "growing": lambda saved: saved(Growing(), [InputSpec([None, None], "float32", "x")]),
    "rows": lambda saved: saved(Rows(), [InputSpec([None, None], "float32", "x")]),
    "outside": lambda saved: saved(Outside(), SPEC),
    "decoding": lambda saved: saved(
        Decoding(),
        [InputSpec([None, None, 4], "float32", "x"), InputSpec([None], "int64", "lengths")],
    ),
    "assigning": lambda saved: saved(Assigning(), SPEC),
    "typed": lambda saved: saved(Typed(), SPEC),
    "frequencies": lambda saved: saved(
        Frequencies(), [InputSpec([None, None], "float32", "x")], [np.ones((2, 8), "float32")]
    ),
    "broken": lambda saved: saved(Broken(), SPEC),
    "samples": lambda saved: saved(Heads(), None, [np.ones((2, 4), "float32")]),
    "calls_python": lambda saved: saved(CallsPython(), SPEC),
    "two_formats": lambda saved: saved(Heads(), SPEC, loadable_by=">=2.6"),
}
