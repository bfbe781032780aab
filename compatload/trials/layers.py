"""One call of a layer, of a predictor or of a program, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compatload.trials.lengths import is_core_tensor, tensor_with


def run(layer: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The Tensors among a layer's outputs, as arrays in order."""
    return called(layer, [_tensor(array) for array in arrays])


def _tensor(value: Any) -> Any:
    """A Tensor of an array, or of what ``with_lengths`` makes."""
    import numpy
    import paddle

    if not is_core_tensor(value):
        return paddle.to_tensor(value)
    return tensor_with(numpy.array(value), value.lod())


def called(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, ...]:
    """As ``run``, with arguments that are Tensors already, or hold them."""
    return called_whole(function, arguments)[0]


def called_whole(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[tuple[Any, ...], dict[int, float]]:
    """As ``called``, and beside it the numbers among the outputs, by their places among both."""
    import paddle

    with paddle.no_grad():
        outputs = function(*arguments)
    leaves = paddle.utils.flatten(outputs)
    told = [one for one in leaves if type(one) in (int, float) or isinstance(one, paddle.Tensor)]
    arrays = tuple(one.numpy() for one in told if isinstance(one, paddle.Tensor))
    return arrays, {n: one for n, one in enumerate(told) if not isinstance(one, paddle.Tensor)}


def predicted(predictor: Any, inputs: Mapping[str, Any]) -> list[Any]:
    """The outputs of one of Paddle's predictors, given what it asks for by name."""
    import numpy

    for name in predictor.get_input_names():
        value, handle = inputs[name], predictor.get_input_handle(name)
        if is_core_tensor(value):
            handle.set_lod(value.lod())
            value = numpy.array(value)
        handle.copy_from_cpu(value)
    predictor.run()
    names = predictor.get_output_names()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in names]


def executed(
    executor: Any, program: Any, inputs: Mapping[str, Any], fetches: Sequence[Any]
) -> list[Any]:
    """The outputs of one run of Paddle's executor; of those that are sequences, the rows."""
    import numpy

    # With return_numpy Paddle refuses outputs that have lengths.
    outputs = executor.run(program, feed=dict(inputs), fetch_list=fetches, return_numpy=False)
    return [numpy.array(output) for output in outputs]
