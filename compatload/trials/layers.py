"""One call of a layer, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def run(layer: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The Tensors among a layer's outputs, as arrays in order."""
    import paddle

    return called(layer, [paddle.to_tensor(array) for array in arrays])


def called(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, ...]:
    """As ``run``, with arguments that are Tensors already, or hold them."""
    import paddle

    with paddle.no_grad():
        outputs = function(*arguments)
    leaves = paddle.utils.flatten(outputs)
    return tuple(leaf.numpy() for leaf in leaves if isinstance(leaf, paddle.Tensor))
