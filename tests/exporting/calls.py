"""Layers that are called, or written, in ways of their own; run by ``worker.py``."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import warnings

import numpy as np
import paddle
from models import SPEC, Saved, Unused
from paddle.static import InputSpec


class Nested(paddle.nn.Layer):
    """As detectors are called: everything in one dict."""

    def __init__(self):
        super().__init__()
        self.head = paddle.nn.Linear(4, 4)

    def forward(self, inputs):
        first, second = inputs["boxes"]
        return {"out": self.head(inputs["image"]) + first, "boxes": second * 2.0}


NESTED = [
    {
        "image": InputSpec([None, 4], "float32", "image"),
        "boxes": [InputSpec([None, 4], "float32"), InputSpec([None, 2], "float32")],
    }
]


class WithValues(paddle.nn.Layer):
    """Python values among the arguments: they are constants of the program."""

    def forward(self, x, factor, turned=False, mask=None):
        x = x * factor
        if turned:
            x = x.transpose([1, 0])
        return x if mask is None else x * mask


class Guarded(paddle.nn.Layer):
    def forward(self, x, y):
        rows = x.shape[0]
        if x.mean() > 1000:
            message = f"too large: {x}"
            raise ValueError(message)
        elif y.max() > 1000:
            warnings.warn("large", stacklevel=1)
        else:
            y = y * 2.0
        z = paddle.matmul(x, y)
        if z.shape != [
            rows,
            4,
        ]:
            raise ValueError(f"{z.shape}")
        assert z.shape[0] == rows, f"{z.shape}"
        return z


class Choosing(paddle.nn.Layer):
    """No guard: what the branch says is used later."""

    def forward(self, x):
        if list(x.shape) != [2, 4]:
            x = x * 3.0
        return x * 2.0


class Keeping(paddle.nn.Layer):
    """Keeps a Tensor for the next call, as caches of positions do."""

    def __init__(self):
        super().__init__()
        self.kept = None
        self.others = {"seen": None}

    def forward(self, x):
        self.kept = x.mean()
        self.others["seen"] = x
        if list(x.shape) != [x.shape[0], 4]:
            raise ValueError("no")
        return x - self.kept


def scaled(x, factor):
    """Not converted, ``rows`` is -1."""
    rows = x.shape[0]
    return x.reshape([rows * 2, 2]) * factor


class Partial(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.scale = functools.partial(scaled, factor=2.0)

    def forward(self, x):
        return self.scale(x)


class Methods(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.head = paddle.nn.Linear(4, 4)

    @paddle.jit.to_static(input_spec=SPEC, full_graph=True)
    def forward(self, x):
        return self.head(x)

    @paddle.jit.to_static(
        input_spec=[InputSpec([None, 4], "float32"), InputSpec([1], "float32")], full_graph=True
    )
    def scaled(self, x, factor):
        return self.head(x) * factor


class Nothing(paddle.nn.Layer):
    def forward(self, x):
        self.seen = x * 2.0


def function(x, y):
    return x * 2.0 + y.abs()


class Logging(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            logging.getLogger("calls").info("large")
            x = x * 2.0
        return x * 1.5


class WithSizes(paddle.nn.Layer):
    """Numbers among its outputs: counted from sizes, of which one is free, and constant."""

    def forward(self, x):
        return {"half": x.shape[0] / 2, "known": x.shape[1], "n": x.shape[0], "y": x * 2.0}


class Turned(paddle.nn.Layer):
    """A list that a loop grows, read from its end."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)

    def forward(self, x):
        rows, wholes, others = [], [], []
        for place in range(x.shape[0]):
            rows.append(self.linear(x[place]))
            wholes.append((x[place] * 10.0).astype("int64"))
        for row in reversed(rows):
            others.append(row * 2.0)
        others.reverse()
        turned = rows[::-1], rows[-1::-1], wholes[::-1]
        return paddle.stack(others), *map(paddle.stack, turned)


class Decoding(paddle.nn.Layer):
    """Words one after the other: caches that are nothing in front of the first, lists that are
    joined, a dict that gets its key in the first turn, and an end that a word brings."""

    def __init__(self):
        super().__init__()
        self.words = paddle.nn.Embedding(12, 4)
        self.layers = paddle.nn.LayerList([paddle.nn.Linear(4, 8) for _ in range(2)])
        self.head = paddle.nn.Linear(4, 12)

    def forward(self, words, most):
        caches, memory, said = [None] * len(self.layers), {}, [words]
        word, place = words[:, -1:], 0
        while place < most:
            x, kept = self.words(word), []
            for layer, cache in zip(self.layers, caches):
                key, value = layer(x).chunk(2, -1)
                keys = key if cache is None else paddle.concat([cache[0], key], 1)
                values = value if cache is None else paddle.concat([cache[1], value], 1)
                kept.append((keys, values))
                x = x + paddle.matmul(x, keys, transpose_y=True) @ values
            caches = kept
            memory["mean"] = memory["mean"] + x.mean() if "mean" in memory else x.mean()
            word = self.head(x * memory["mean"]).argmax(-1)
            said = [*said, word]
            place += 1
            if (word == 3).all():
                break
        return paddle.concat([words, *said], 1)


class Exiting(paddle.nn.Layer):
    """Leaves early, at the first of its heads that is sure."""

    def __init__(self):
        super().__init__()
        self.blocks = paddle.nn.LayerList([paddle.nn.Linear(4, 4) for _ in range(3)])
        self.heads = paddle.nn.LayerList([paddle.nn.Linear(4, 2) for _ in range(3)])

    def forward(self, x):
        for place, (block, head) in enumerate(zip(self.blocks, self.heads)):
            x = paddle.tanh(block(x))
            sure = head(x)
            if sure.max() > 0.3:
                return sure, x * place
        return self.heads[0](x), x


class Shuffled(paddle.nn.Layer):
    """Channels that Paddle does not know any more, behind a reshape by sizes that are free."""

    def __init__(self):
        super().__init__()
        self.convolution = paddle.nn.Conv2D(3, 8, 1)

    def forward(self, x):
        y = self.convolution(x)
        b, _, h, w = y.shape
        return paddle.nn.functional.pixel_shuffle(y.reshape([b, -1, h, w]), 2)


class Signed(paddle.nn.Layer):
    """Its Tensor decides, and samples lie on both sides; the outer one on one side only."""

    def forward(self, x):
        if x.mean() > 0:
            x = x * 2.0
        if x.max() > 1e6:
            x = x / 3.0
        return x * 1.5


class Sized(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        if x.shape[0] > 1000:
            y = y * 3.0
        return y


def double(x):
    return x * 2.0


class Keyed(paddle.nn.Layer):
    """Qwen2's story: a dict keyed by a code object, which the symbolic tracer does not follow."""

    def forward(self, x):
        results = {}
        results[double.__code__] = double(x)
        return results[double.__code__] + x


class Enlarged(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.stem = paddle.nn.Conv2D(3, 4, 3)

    def forward(self, x):
        return paddle.nn.functional.interpolate(self.stem(x), scale_factor=2, mode="bilinear")


class Tied(paddle.nn.Layer):
    """Sorted by what rounding decides, as boxes of nearly equal scores are."""

    def forward(self, x):
        return paddle.gather(x, paddle.argsort(x.sum(-1)))


def for_releases(layer, spec, releases: str):
    """Saved for releases, of which the environment names Pythons."""

    def save(saved: Saved) -> dict[str, object]:
        pythons = os.environ["COMPATLOAD_TEST_PYTHONS"].split(os.pathsep)
        return saved(layer(), spec, loadable_by=releases, interpreters=pythons)

    return save


def pruned(saved: Saved) -> dict[str, object]:
    """A converted layer, and a specification that says which of its inputs are to stay."""
    layer = paddle.jit.to_static(Unused(), input_spec=TWO, full_graph=True)
    return saved(layer, SPEC)


def keeping(saved: Saved) -> dict[str, object]:
    layer = Keeping()
    before = layer.kept
    told = saved(layer, SPEC)
    return {**told, "kept": layer.kept is before and layer.others == {"seen": None}}


def behind_failures(saved: Saved) -> dict[str, object]:
    """Paddle refuses the layer, and keeps what it noted of the program by the address of that."""
    from compatload.exporting.traced import notes

    with contextlib.suppress(ValueError):
        paddle.jit.save(Shuffled(), "none", IMAGES)
    told = saved(Shuffled(), IMAGES)
    return {**told, "noted": sum(map(len, notes()))}


def refused(saved: Saved) -> dict[str, object]:
    from compatload.errors import UsageError

    try:
        return saved(functools.partial(function, y=paddle.ones([1])), SPEC)
    except UsageError as error:
        return {"outcome": "UsageError", "text": str(error)}


IMAGES = [InputSpec([None, 3, None, None], "float32", "image")]
WORDS = [InputSpec([None, None], "int64", "words"), InputSpec([], "int64", "most")]
TWO = [*SPEC, InputSpec([None, 4], "float32", "y")]
ARRAY = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)
CALLS = {
    "nested": lambda saved: saved(Nested(), NESTED),
    "nested_samples": lambda saved: saved(
        Nested(), NESTED, [{"image": ARRAY, "boxes": [ARRAY, ARRAY[:, :2]]}]
    ),
    "by_name": lambda saved: saved(Unused(), TWO, {"x": ARRAY, "y": ARRAY}),
    "values": lambda saved: saved(WithValues(), [*SPEC, 3.0, True]),
    "none_value": lambda saved: saved(WithValues(), [*SPEC, 3.0, False, None]),
    "guarded": lambda saved: saved(Guarded(), [*SPEC, InputSpec([4, 4], "float32", "y")]),
    "choosing": lambda saved: saved(Choosing(), SPEC),
    "keeping": keeping,
    "partial": lambda saved: saved(Partial(), SPEC),
    "methods": lambda saved: saved(Methods(), None),
    "function": lambda saved: saved(function, TWO),
    "signed": lambda saved: saved(Signed(), SPEC),
    "sized": lambda saved: saved(Sized(), SPEC),
    "pruned": pruned,
    "logging": lambda saved: saved(Logging(), SPEC),
    "with_sizes": lambda saved: saved(WithSizes(), SPEC),
    "turned": lambda saved: saved(Turned(), [InputSpec([None, 4], "float32", "x")]),
    "behind_failures": behind_failures,
    "exiting": lambda saved: saved(Exiting(), SPEC),
    "decoding": lambda saved: saved(Decoding(), WORDS, [np.ones([2, 3], "int64"), np.array(4)]),
    "refused": refused,
    "enlarged": for_releases(Enlarged, [InputSpec([None, 3, 8, 8], "float32", "image")], ">=2.6.2"),
    "tied": for_releases(Tied, [InputSpec([4096, 4], "float32", "x")], "==3.3.1"),
    "signed_for_3": for_releases(Signed, SPEC, ">=3.0"),
    "keyed": lambda saved: saved(paddle.jit.to_static(Keyed()), SPEC),
    "nothing": lambda saved: saved(Nothing(), SPEC),
}
