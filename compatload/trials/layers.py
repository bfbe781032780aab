"""One call of a layer, or of a predictor, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def predicted(predictor: Any, inputs: Mapping[str, Any]) -> list[Any]:
    """The outputs of one of Paddle's predictors, given what it asks for by name."""
    for name in predictor.get_input_names():
        predictor.get_input_handle(name).copy_from_cpu(inputs[name])
    predictor.run()
    names = predictor.get_output_names()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in names]
