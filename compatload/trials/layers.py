"""One call of a layer, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def run(layer: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The Tensors among a layer's outputs, as arrays in order."""
    import paddle

    with paddle.no_grad():
        outputs = layer(*[paddle.to_tensor(array) for array in arrays])
    leaves = paddle.utils.flatten(outputs)
    return tuple(leaf.numpy() for leaf in leaves if isinstance(leaf, paddle.Tensor))
