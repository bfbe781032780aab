"""Sequences of several lengths, made of padded rows; eagerly the same by hand, row by row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("sequences")
_LONGEST = 4
_ROWS = Input((None, _LONGEST, 6))
_LENGTHS = Input((None,), "int64", 1, _LONGEST + 1)
_WORDS = Input((None, _LONGEST), "int64", 0, 5)
_SIZE = 10  # of what is padded again
_FILLING = 0.5
_TOKENS = (1, 3)


class Sequences(nn.Layer):
    """2.6 has no sequences in eager mode: ``by_hand`` stands there for ``computed``."""

    def __init__(self, computed: Any, by_hand: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.table = nn.Embedding(5, 6)
        self.computed = paddle.jit.not_to_static(computed)
        self.by_hand = paddle.jit.not_to_static(by_hand)


class OfOne(Sequences):
    def forward(self, x: Any, y: Any) -> Any:
        hidden = self.linear(x)
        return self.by_hand(hidden, y) if paddle.in_dynamic_mode() else self.computed(hidden, y)


class OfTwo(Sequences):
    def forward(self, x: Any, y: Any, z: Any) -> Any:
        hidden = self.linear(x)
        if paddle.in_dynamic_mode():
            return self.by_hand(hidden, y, z)
        return self.computed(hidden, y, z)


class OfWords(Sequences):
    def forward(self, x: Any, y: Any) -> Any:
        words = self.by_hand(x, y) if paddle.in_dynamic_mode() else self.computed(x, y)
        return self.table(words)


def _ops() -> Any:
    return paddle.static.nn


def _unpadded(x: Any, lengths: Any) -> Any:
    return _ops().sequence_unpad(x, lengths)


def _padded(sequences: Any, value: float = _FILLING, dtype: str = "float32") -> Any:
    return _ops().sequence_pad(sequences, paddle.full([1], value, dtype), _SIZE)[0]


def _listed(x: Any, lengths: Any) -> list[Any]:
    return [x[number, : int(length)] for number, length in enumerate(lengths)]


def _stacked(rows: list[Any], value: float = _FILLING, size: int = _SIZE) -> Any:
    filled = []
    for one in rows:
        rest = paddle.full([size - one.shape[0], *one.shape[1:]], value, one.dtype)
        filled.append(paddle.concat([one, rest]))
    return paddle.stack(filled)


def _pad(x: Any, y: Any) -> Any:
    filling = paddle.full([1], _FILLING)
    return _ops().sequence_pad(_unpadded(x, y), filling, _SIZE)


def _pad_by_hand(x: Any, y: Any) -> Any:
    return _stacked(_listed(x, y)), y


def _reverse(x: Any, y: Any) -> Any:
    return _padded(_ops().sequence_reverse(_unpadded(x, y)))


def _reverse_by_hand(x: Any, y: Any) -> Any:
    return _stacked([one.flip(0) for one in _listed(x, y)])


def _concat(x: Any, y: Any, z: Any) -> Any:
    return _padded(_ops().sequence_concat([_unpadded(x, y), _unpadded(x * 2.0, z)]))


def _concat_by_hand(x: Any, y: Any, z: Any) -> Any:
    pairs = zip(_listed(x, y), _listed(x * 2.0, z))
    return _stacked([paddle.concat(pair) for pair in pairs])


def _expand(x: Any, y: Any) -> Any:
    return _padded(_ops().sequence_expand_as(x[:, 0], _unpadded(x, y)))


def _expand_by_hand(x: Any, y: Any) -> Any:
    rows = _listed(x, y)
    return _stacked([x[n, :1].tile([one.shape[0], 1]) for n, one in enumerate(rows)])


def _reshape(x: Any, y: Any) -> Any:
    return _padded(_ops().sequence_reshape(_unpadded(x, y), 3))


def _reshape_by_hand(x: Any, y: Any) -> Any:
    return _stacked([one.reshape([-1, 3]) for one in _listed(x, y)])


def _scatter(x: Any, y: Any, z: Any) -> Any:
    updates = _unpadded(x[:, :, 0], y)
    return _ops().sequence_scatter(x[:, 0], _unpadded(z, y), updates)


def _scatter_by_hand(x: Any, y: Any, z: Any) -> Any:
    columns = range(x.shape[2])
    made = []
    for words, rows, first in zip(_listed(z, y), _listed(x, y), x[:, 0]):
        chosen = paddle.stack([(words == one).astype("float32") for one in columns], 1)
        made.append(first + (rows[:, :1] * chosen).sum(0))
    return paddle.stack(made)


def _slice(x: Any, y: Any) -> Any:
    begins = (y // 2).reshape([-1, 1])
    return _ops().sequence_slice(_unpadded(x, y), begins, y.reshape([-1, 1]) - begins)


def _slice_by_hand(x: Any, y: Any) -> Any:
    return paddle.concat([one[one.shape[0] // 2 :] for one in _listed(x, y)])


def _enumerate(x: Any, y: Any) -> Any:
    words = _unpadded(x.unsqueeze(-1), y)
    return _padded(_ops().sequence_enumerate(words, 3, 4), 0, "int64")


def _enumerate_by_hand(x: Any, y: Any) -> Any:
    made = []
    for one in _listed(x, y):
        ahead = paddle.concat([one, paddle.full([2], 4, "int64")])
        made.append(paddle.stack([ahead[n : n + 3] for n in range(one.shape[0])]))
    return _stacked(made, 0)


def _erase(x: Any, y: Any) -> Any:
    words = _unpadded(x.unsqueeze(-1), y)
    block = paddle.static.default_main_program().current_block()
    left = block.create_var(name="left", dtype=words.dtype, shape=[-1, 1], lod_level=1)
    slots = {"inputs": {"X": [words]}, "outputs": {"Out": [left]}}
    block.append_op(type="sequence_erase", **slots, attrs={"tokens": list(_TOKENS)})
    return _padded(left, 0, "int64")


def _erase_by_hand(x: Any, y: Any) -> Any:
    made = []
    for one in _listed(x, y):
        left = [int(word) for word in one if int(word) not in _TOKENS]
        made.append(left + [0] * (_SIZE - len(left)))
    return paddle.to_tensor(made, "int64").unsqueeze(-1)


def _between(x: Any, y: Any) -> Any:
    """What stands between the two keeps the lengths, and nothing knows them but the tensor."""
    return _padded(_ops().sequence_reverse(paddle.tanh(_unpadded(x, y) * 2.0)))


def _between_by_hand(x: Any, y: Any) -> Any:
    return _stacked([paddle.tanh(one * 2.0).flip(0) for one in _listed(x, y)])


def _rows_of_words(x: Any, y: Any) -> Any:
    """Of a matrix, rows have an axis of their own."""
    return _padded(_unpadded(x, y), 0, "int64")


def _rows_of_words_by_hand(x: Any, y: Any) -> Any:
    return _stacked([one.unsqueeze(-1) for one in _listed(x, y)], 0)


def _sentiment(x: Any, y: Any) -> Any:
    """As classifiers of sentences have it: both directions of the words, pooled."""
    words = _unpadded(x, y)
    back = _ops().sequence_reverse(words)
    return paddle.concat([_ops().sequence_pool(one, "max") for one in (words, back * words)], -1)


def _sentiment_by_hand(x: Any, y: Any) -> Any:
    rows = _listed(x, y)
    both = [paddle.concat([one.max(0), (one * one.flip(0)).max(0)]) for one in rows]
    return paddle.stack(both)


def _family(
    layer: Callable[..., nn.Layer],
    inputs: tuple[Input, ...],
    networks: dict[str, tuple[Any, Any]],
) -> None:
    own = [tuple(size for size in one.shape if size) for one in inputs]
    sizes = tuple(tuple((size, *one) for one in own) for size in (3, 5))
    for name, both in networks.items():
        family.layer(
            name,
            partial(layer, *both),
            *inputs,
            shapes=sizes,
            savers=("2.6.0", "2.6.1", "2.6.2"),
        )


_family(
    OfOne,
    (_ROWS, _LENGTHS),
    {
        "sequences_padded": (_pad, _pad_by_hand),
        "sequences_reversed": (_reverse, _reverse_by_hand),
        "sequences_expanded_as": (_expand, _expand_by_hand),
        "sequences_reshaped": (_reshape, _reshape_by_hand),
        "sequences_sliced": (_slice, _slice_by_hand),
        "sequences_between_layers": (_between, _between_by_hand),
        "sequences_of_a_sentence": (_sentiment, _sentiment_by_hand),
    },
)
_family(
    OfTwo,
    (_ROWS, _LENGTHS, _LENGTHS),
    {"sequences_joined": (_concat, _concat_by_hand)},
)
_family(
    OfTwo,
    (_ROWS, _LENGTHS, _WORDS),
    {"sequences_scattered": (_scatter, _scatter_by_hand)},
)
_family(
    OfWords,
    (_WORDS, _LENGTHS),
    {
        "sequences_of_words": (_rows_of_words, _rows_of_words_by_hand),
        "sequences_enumerated": (_enumerate, _enumerate_by_hand),
        "sequences_erased": (_erase, _erase_by_hand),
    },
)
