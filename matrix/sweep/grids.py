"""What makes a value, and what reads it, as code of a layer ``s`` with an input ``x``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_LAST = 'data_format="NHWC"'


@dataclass(frozen=True)
class Grid:
    """``shape`` of the input with None for free sizes; ``sizes`` are tried for these, one after the
    other. ``parts`` are made in the layer. In readers the value is ``q``."""

    shape: tuple[int | None, ...]
    sizes: tuple[tuple[int, ...], ...]
    parts: Mapping[str, str]
    producers: Mapping[str, str]
    readers: Mapping[str, str]


_ACTIVATIONS = {
    "relu": "F.relu(q)",
    "sigmoid": "F.sigmoid(q)",
    "gelu": "F.gelu(q)",
    "hardswish": "F.hardswish(q)",
    "leaky_relu": "F.leaky_relu(q, 0.1)",
    "mish": "F.mish(q)",
    "tanh": "paddle.tanh(q)",
    "clip": "paddle.clip(q, -0.3, 0.3)",
    "exp": "paddle.exp(-q.abs())",
    "times": "q * 2.0",
    "plus": "q + 1.5",
    "square": "q * q",
    "dropout": "F.dropout(q, 0.3, training=False)",
}
_ROWS = Grid(
    shape=(None, 6),
    sizes=((1,), (2,), (5,)),
    parts={
        "linear": "nn.Linear(6, 6)",
        "norm": "nn.BatchNorm1D(6)",
        "embedding": "nn.Embedding(5, 3)",
        "matrix": "self.create_parameter([6, 3])",
        "vector": "self.create_parameter([6], default_initializer=nn.initializer.Normal())",
        "steps": "self.create_parameter([1, 5, 1], default_initializer=nn.initializer.Normal())",
        "places": "self.create_parameter([1, 5, 6], default_initializer=nn.initializer.Normal())",
    },
    producers={
        "linear": "s.linear(x)",
        "product": "x @ s.matrix",
        "product_of_itself": "paddle.matmul(x, x, transpose_y=True)",
        "product_of_a_vector": "x @ s.vector",
        "scaled": "x * s.vector",
        "activated": "F.gelu(s.linear(x))",
        "normalised": "F.layer_norm(x, [6], s.vector, s.vector)",
        "turned": "s.linear(x).t()",
        "reshaped": "s.linear(x).reshape([-1, 2, 3])",
        "joined": "paddle.concat([x * s.vector, x], 1)",
        "split": "paddle.split(s.linear(x), 2, 1)[1]",
        "summed": "(x * s.vector).sum(1, keepdim=True)",
        "times": "s.linear(x) * 2.0",
        "plus": "s.linear(x) + 1.5",
        "folded": "s.norm(s.linear(x))",
        "residual": "s.linear(x) + x",
        "looked_up": 's.embedding((x > 0).astype("int64"))',
        "chosen": "paddle.where(x > 0, x * s.vector, x)",
        "cut": "s.linear(x)[:, 1:4]",
        "stretched": "x.unsqueeze(1) + s.steps",
        "stretched_by_rows": "x.unsqueeze(1) + s.places",
        "stretched_by_layer": "s.linear(x.unsqueeze(1) + s.steps)",
        "stretched_by_product": "(x.unsqueeze(1) * s.steps) @ s.matrix.unsqueeze(0)",
    },
    readers={
        **_ACTIVATIONS,
        "itself": "q",
        "sum": "q.sum()",
        "mean": "q.mean(0)",
        "softmax": "F.softmax(q)",
        "turned": "q.transpose(list(range(q.ndim))[::-1])",
        "flat": "q.reshape([-1])",
        "joined": "paddle.concat([q, q], 0)",
        "product": "paddle.matmul(q.flatten().unsqueeze(0), q.flatten().unsqueeze(1))",
    },
)
_IMAGES = Grid(
    shape=(None, 3, None, None),
    sizes=((1, 8, 6), (2, 8, 10), (3, 8, 6)),
    parts={
        "biased": "nn.Conv2D(3, 8, 3, 2, 1)",
        "plain": "nn.Conv2D(3, 8, 3, 2, 1, bias_attr=False)",
        "transposed": "nn.Conv2DTranspose(3, 8, 3, 1, 1)",
        "apart": "nn.Conv2DTranspose(3, 8, 2, 2)",
        "norm": "nn.BatchNorm2D(8)",
        "groups": "nn.GroupNorm(2, 8)",
        "next": "nn.Conv2D(8, 8, 3, 1, 1)",
        "point": "nn.Conv2D(8, 8, 1)",
        "linear": "nn.Linear(8, 5)",
        "channels": "self.create_parameter([8, 1, 1], default_initializer=nn.initializer.Normal())",
    },
    producers={
        "biased": "s.biased(x)",
        "plain": "s.plain(x)",
        "transposed": "s.transposed(x)",
        "apart": "s.apart(x)",
        "folded": "F.relu(s.norm(s.plain(x)))",
        "activated": "F.relu(s.biased(x))",
        "silu": "F.silu(s.biased(x))",
        "grouped": "s.groups(s.biased(x))",
        "pooled": "F.max_pool2d(s.biased(x), 2, 1)",
        "two": "s.next(s.biased(x))",
    },
    readers={
        **_ACTIVATIONS,
        "itself": "q",
        "pool": "F.max_pool2d(q, 2)",
        "pool_to_one": "F.adaptive_avg_pool2d(q, 1)",
        "residual": "q + s.next(q)",
        "gate": "q * F.sigmoid(s.point(F.adaptive_avg_pool2d(q, 1)))",
        "nearest": "F.interpolate(q, scale_factor=2)",
        "bilinear": 'F.interpolate(q, scale_factor=2, mode="bilinear")',
        "to_input": "F.interpolate(q, size=x.shape[2:])",
        "joined": "paddle.concat([q, s.point(q)], 1)",
        "split": "paddle.split(q, 2, 1)[0]",
        "rows_cut": "q[:, :, 1:, :-1]",
        "channels_cut": "q[:, 1:]",
        "shuffled": "F.pixel_shuffle(q, 2)",
        "last": "q.transpose([0, 2, 3, 1])",
        "tokens": "q.flatten(2).transpose([0, 2, 1])",
        "head": "s.linear(q.mean([2, 3]))",
        "softmax": "F.softmax(q, 1)",
        "best": "q.argmax(1)",
        "padded": "F.pad(q, [1, 1, 1, 1])",
        "by_channel": "q * s.channels",
        "and_channel": "q + s.channels",
        "attention": "paddle.matmul(q.flatten(2), q.flatten(2).transpose([0, 2, 1]))",
        "normalised": "F.normalize(q, axis=1)",
        "masked": 'q * (q > 0).astype("float32")',
        "rolled": "paddle.roll(q, 1, 2)",
        "stacked": "paddle.stack([q, q], 1)",
    },
)
_BEFORE = {
    "input": "x",
    "times": "x * 0.5",
    "relu": "F.relu(x)",
    "by_channel": "x * s.channels",
    "and_channel": "x + s.channels",
    "softmax": "F.softmax(x)",
    "turned": "x.transpose([0, 2, 1, 3])",
    "cut": "x[:, 1:]",
    "joined": "paddle.concat([x, x], 1)",
    "folded": "s.norm(x * 0.5)",
}
_LAYERS = {
    "biased": "s.biased({})",
    "plain": "s.plain({})",
    "transposed": "s.transposed({})",
    "pooled": f"F.max_pool2d({{}}, 2, {_LAST})",
    "averaged": f"F.avg_pool2d({{}}, 2, {_LAST})",
}
_IMAGES_LAST = Grid(
    shape=(None, None, None, 3),
    sizes=((1, 8, 6), (2, 8, 10), (3, 8, 6)),
    parts={
        "biased": f"nn.Conv2D(3, 8, 3, 2, 1, {_LAST})",
        "plain": f"nn.Conv2D(3, 8, 3, 2, 1, bias_attr=False, {_LAST})",
        "transposed": f"nn.Conv2DTranspose(3, 8, 2, 2, {_LAST})",
        "norm": f"nn.BatchNorm2D(3, {_LAST})",
        "channels": "self.create_parameter([3], default_initializer=nn.initializer.Normal())",
    },
    producers={
        f"{layer}_of_{before}": code.format(made)
        for before, made in _BEFORE.items()
        for layer, code in _LAYERS.items()
    },
    readers={
        **_ACTIVATIONS,
        "itself": "q",
        "mean_of_channels": "q.mean(-1)",
        "mean_of_places": "q.mean([1, 2])",
        "joined": "paddle.concat([q, q], -1)",
        "softmax": "F.softmax(q)",
        "first": "q.transpose([0, 3, 1, 2])",
        "flat": "q.flatten(1)",
        "rows_cut": "q[:, 1:]",
        "stacked": "paddle.stack([q, q], 1)",
    },
)
_SECOND = "s.linear(q)"
_TOKENS = Grid(
    shape=(None, None, 8),
    sizes=((1, 4), (2, 6), (3, 4)),
    parts={
        "linear": "nn.Linear(8, 8)",
        "wide": "nn.Linear(8, 24)",
        "norm": "nn.LayerNorm(8)",
        "gru": "nn.GRU(8, 8)",
        "lstm": 'nn.LSTM(8, 4, direction="bidirect")',
        "conv": "nn.Conv1D(8, 8, 3, padding=1)",
        "attention": "nn.MultiHeadAttention(8, 2)",
        "scale": "self.create_parameter([8], default_initializer=nn.initializer.Normal())",
        "matrix": "self.create_parameter([8, 8])",
        "prefix": "self.create_parameter([1, 2, 8], default_initializer=nn.initializer.Normal())",
    },
    producers={
        "linear": "s.linear(x)",
        "product": "x @ s.matrix",
        "einsum": 'paddle.einsum("bij,jk->bik", x, s.matrix)',
        "scaled": "x * s.scale",
        "normalised": "s.norm(x)",
        "residual": "s.norm(x + s.linear(x))",
        "by_squares": "x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * s.scale",
        "chunk": "s.wide(x).chunk(3, -1)[1]",
        "unbound": "s.wide(x).reshape([0, 0, 3, 8]).unbind(2)[1]",
        "attended": "F.softmax(s.linear(x) @ x.transpose([0, 2, 1])) @ x",
        "attention": "s.attention(x)",
        "gru": "s.gru(x)[0]",
        "lstm": "s.lstm(x)[0]",
        "convolved": "s.conv(x.transpose([0, 2, 1])).transpose([0, 2, 1])",
        "gated": "F.silu(s.linear(x)) * (x @ s.matrix)",
        "rotated": "paddle.concat([-x[:, :, 4:], x[:, :, :4]], -1) * s.scale + x",
        "prefixed": "paddle.concat([s.prefix.expand([x.shape[0], 2, 8]), s.linear(x)], 1)",
        "masked": "paddle.where(x > 0, s.linear(x), paddle.full_like(x, -9.0))",
        "rolled": "paddle.roll(s.linear(x), 1, 1)",
        "summed": "paddle.cumsum(s.linear(x), 1)",
    },
    readers={
        **_ACTIVATIONS,
        "itself": "q",
        "softmax": "F.softmax(q)",
        "next": _SECOND,
        "product": "q @ s.matrix",
        "norm": "s.norm(q)",
        "residual": f"q + {_SECOND}",
        "heads": "q.reshape([0, 0, 2, 4]).transpose([0, 2, 1, 3])",
        "scores": "paddle.matmul(q, q, transpose_y=True)",
        "scaled_scores": "paddle.matmul(q * 0.5, q, transpose_y=True)",
        "first": "q[:, 0]",
        "last": "q[:, -1]",
        "pooled": "q.mean(1)",
        "most": "q.max(1)",
        "einsum": f'paddle.einsum("bij,bkj->bik", q, {_SECOND})',
        "einsums": f'paddle.einsum("bij,bkj->bik", q, {_SECOND}), '
        f'paddle.einsum("bij,bkj->bki", q, {_SECOND})',
        "einsum_and_stack": f'paddle.einsum("bij,bkj->bik", q, {_SECOND}), '
        f"paddle.stack([q, {_SECOND}])",
        "gru": "s.gru(q)[0]",
        "state": "s.gru(q)[1]",
        "lstm": "s.lstm(q)[0]",
        "chunk": "q.chunk(2, -1)[1]",
        "summed": "paddle.cumsum(q, 1)",
        "flipped": "q.flip(1)",
        "turned": "q.transpose([0, 2, 1])",
        "padded": 'F.pad(q, [1, 0], data_format="NLC")',
        "convolved": "s.conv(q.transpose([0, 2, 1]))",
        "joined": "paddle.concat([q, q], 1)",
        "stacked": "paddle.stack([q, q], 1)",
        "best": "q.argmax(-1)",
        "top": "paddle.topk(q, 2)[0]",
        "by_scale": "q * s.scale",
        "and_scale": "q + s.scale",
        "masked": 'q * (q > 0).astype("float32")',
        "normalised": "F.normalize(q, axis=-1)",
        "logits": "s.linear(s.norm(q)) @ s.matrix",
    },
)
GRIDS: Mapping[str, Grid] = {
    "rows": _ROWS,
    "images": _IMAGES,
    "images_last": _IMAGES_LAST,
    "tokens": _TOKENS,
}


def names(grid: Grid) -> list[str]:
    """Of its layers: ``PRODUCER__READER``, with ``__too`` where the value is an output as well."""
    return [
        f"{producer}__{reader}{too}"
        for producer in grid.producers
        for reader in grid.readers
        for too in ("", "__too")
        if reader != "itself" or not too
    ]


def source(grid: Grid) -> str:
    """A module with a layer of each name; Paddle reads the code that it converts out of a file."""
    shape, (producers, readers) = grid.shape, (grid.producers, grid.readers)
    made = "".join(f"        self.{name} = {code}\n" for name, code in grid.parts.items())
    text = (
        "import paddle\nfrom paddle import nn\n\nF = nn.functional\n\n\n"
        "class Parts(nn.Layer):\n    def __init__(self):\n        super().__init__()\n"
        f"{made}        self.rest = self.create_parameter([{shape[-1] or 1}])\n"
    )
    for name in names(grid):
        producer, reader, *too = name.split("__")
        results = ("q, " if too else "") + readers[reader]
        text += (
            f"\n\nclass {name}(Parts):\n    def forward(self, x):\n        s = self\n"
            f"        q = {producers[producer]}\n        return {results}, x.sum() * self.rest\n"
        )
    return text
