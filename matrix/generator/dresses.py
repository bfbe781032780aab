"""What stands around a call. Runs inside a Paddle.

A dress takes what computes, its inputs and a maker of weights, and gives the tensors that come out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

Run = Callable[[Sequence[Any]], list[Any]]
Values = list[Any]
ROUNDS = 3


def _alone(run: Run, values: Values, weights: Any) -> Values:
    return run(values)


def _between_linear(run: Run, values: Values, weights: Any) -> Values:
    width = _of_float(values[0], 2).shape[-1]
    first = F.linear(values[0], weights("before", width, width), weights("bias", width))
    outputs = run([first, *values[1:]])
    if not (_is_float(outputs[0]) and len(outputs[0].shape) > 1 and outputs[0].shape[-1] > 0):
        return outputs
    return [_linear(outputs[0], weights), *outputs[1:]]


def _linear(value: Any, weights: Any) -> Any:
    return paddle.matmul(value, weights("after", int(value.shape[-1]), 3))


def _between_convolutions(run: Run, values: Values, weights: Any) -> Values:
    channels = int(_image(values[0]).shape[1])
    kernel = weights("kernel", channels, channels, 3, 3)
    outputs = run([F.conv2d(values[0], kernel, weights("bias", channels), padding=1), *values[1:]])
    one = outputs[0]
    if not _is_float(one) or len(one.shape) != 4 or one.shape[1] < 1:
        return outputs
    return [F.conv2d(one, weights("after", 2, int(one.shape[1]), 1, 1)), *outputs[1:]]


def _in_branch(run: Run, values: Values, weights: Any) -> Values:
    positive = paddle.mean(paddle.cast(values[0], "float32")) > 0
    return _several(
        paddle.static.nn.cond(
            positive,
            lambda: run(values),
            lambda: [one + one if _is_float(one) else paddle.assign(one) for one in run(values)],
        )
    )


def _in_loop(run: Run, values: Values, weights: Any) -> Values:
    return _looped(
        run(values),
        lambda carried: [_added(one, other) for one, other in zip(carried, run(values))],
    )


def _loop_of_read(run: Run, values: Values, weights: Any) -> Values:
    """A loop that begins with an input and with what is computed; both are read behind it."""
    outputs = run(values)
    if not (_is_float(values[0]) and _is_float(outputs[0])):
        raise ValueError("does not wear this dress")
    begun = [values[0], outputs[0]]
    ended = _looped(begun, lambda carried: [one * 0.5 + 1.0 for one in carried])
    return [*(one + other for one, other in zip(begun, ended)), *outputs]


def _looped(begun: Values, again: Callable[[Values], Values]) -> Values:
    """Eagerly a loop of Python's: Paddle's writes into what it carries, be that a view of an
    input."""
    if paddle.in_dynamic_mode():
        ended = begun
        for _ in range(ROUNDS):
            ended = again(ended)
        return ended
    _, *ended = paddle.static.nn.while_loop(
        lambda number, *carried: number < ROUNDS,
        lambda number, *carried: [number + 1, *again([*carried])],
        [paddle.zeros([1], "int64"), *begun],
    )
    return ended


def _twice(run: Run, values: Values, weights: Any) -> Values:
    first, second = run(values), run(values)
    return [*first, _added(first[0], second[0])]


def _also_inner(run: Run, values: Values, weights: Any) -> Values:
    outputs = run(values)
    one = outputs[0]
    return [*outputs, paddle.cos(one) if _is_float(one) else paddle.cast(one, "float32") * 0.5]


def _of_inner(run: Run, values: Values, weights: Any) -> Values:
    """What it takes is computed, and read again after it."""
    inner = paddle.tanh(_of_float(values[0], 0)) if _is_float(values[0]) else values[0] + values[0]
    outputs = run([inner, *values[1:]])
    return [*outputs, _added(inner, inner)]


def _and_activation(run: Run, values: Values, weights: Any) -> Values:
    return [F.relu(one) if _is_float(one) else one for one in run(values)]


def _behind_transposed(run: Run, values: Values, weights: Any) -> Values:
    """Channels in oneDNN's blocks, which what follows may not know."""
    channels = int(_image(values[0]).shape[1])
    image = F.conv2d_transpose(values[0], weights("kernel", channels, channels, 1, 1))
    return run([image, *values[1:]])


def _cast(run: Run, values: Values, weights: Any) -> Values:
    """To their own types, which a program keeps as operators."""
    given = [paddle.cast(one, one.dtype) for one in values]
    return [paddle.cast(one, one.dtype) for one in run(given)]


def _masked(run: Run, values: Values, weights: Any) -> Values:
    """Of as many rows as a mask finds."""
    rows = _of_float(values[0], 2)
    means = paddle.mean(paddle.flatten(rows, 1), 1)
    return run([rows[means > paddle.mean(means) - 1e-3], *values[1:]])


def _found_nothing(run: Run, values: Values, weights: Any) -> Values:
    """Of the rows from the fourth on: at a small size of none, at a larger one of some."""
    rows = _of_float(values[0], 1)
    later = paddle.arange(paddle.shape(rows)[0]) >= ROUNDS
    return run([rows[later], *values[1:]])


def _emptied_branch(run: Run, values: Values, weights: Any) -> Values:
    """Of no rows where a condition holds, which one with positive numbers does."""
    rows = _of_float(values[0], 1)
    return _several(
        paddle.static.nn.cond(
            paddle.mean(rows) > 0, lambda: run([rows[:0], *values[1:]]), lambda: run(values)
        )
    )


def _assigned(run: Run, values: Values, weights: Any) -> Values:
    """Into a constant that is read before."""
    one, *others = run(values)
    if not _is_float(one) or not one.shape or -1 in one.shape or 0 in one.shape:
        raise ValueError("does not wear this dress")
    constant = paddle.full([int(size) for size in one.shape], 0.5, one.dtype)
    read = constant * one
    if paddle.in_dynamic_mode():
        constant[0] = one[0]
    else:  # what to_static makes of it, of which this file is none
        constant = paddle.static.setitem(constant, 0, one[0])
    return [read + constant, *others]


def _measured(run: Run, values: Values, weights: Any) -> Values:
    """Behind a layer whose result is brought to the sizes that a tensor tells; then one axis more,
    and -1 for all the others."""
    width = _of_float(values[0], 2).shape[-1]
    first = F.linear(values[0], weights("before", width, width), weights("bias", width))
    first = paddle.reshape(first, paddle.shape(values[0]))
    one, *others = run([first, *values[1:]])
    return [paddle.expand(one, [2, *(-1 for _ in one.shape)]), one, *others]


DRESSES: Mapping[str, Callable[[Run, Values, Any], Values]] = {
    "alone": _alone,
    "between linear": _between_linear,
    "between convolutions": _between_convolutions,
    "branch": _in_branch,
    "loop": _in_loop,
    "loop of read": _loop_of_read,
    "twice": _twice,
    "also inner": _also_inner,
    "of inner": _of_inner,
    "and activation": _and_activation,
    "behind transposed": _behind_transposed,
    "cast": _cast,
    "masked": _masked,
    "found nothing": _found_nothing,
    "emptied branch": _emptied_branch,
    "assigned": _assigned,
    "measured": _measured,
}

# In which calls may be given nothing.
EMPTYING = frozenset({"found nothing", "emptied branch"})


def _is_float(value: Any) -> bool:
    return value.dtype in (paddle.float32, paddle.float64)


def _of_float(value: Any, rank: int) -> Any:
    if value.dtype != paddle.float32 or len(value.shape) < rank:
        raise ValueError("does not wear this dress")
    return value


def _image(value: Any) -> Any:
    if len(_of_float(value, 4).shape) != 4:
        raise ValueError("no image")
    return value


def _added(one: Any, other: Any) -> Any:
    return paddle.logical_or(one, other) if one.dtype == paddle.bool else one + other


def _several(outputs: Any) -> Values:
    return [*outputs] if isinstance(outputs, (list, tuple)) else [outputs]
