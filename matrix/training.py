"""What a layer learns of one step, so that a loaded one can be held against the one that was saved.

The loss is a sum of every number that comes out, each by a weight of its own: what is made even,
by a normalisation or a softmax, would otherwise have no gradient. Parameters of a loaded layer
bear other names: they are known by their values, and those of equal values, such as biases of
zeros, stand in order of their gradients. Nothing learnt is zeros, whoever tells it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

Learnt = Mapping[str, np.ndarray]  # by input, or by what the parameter held before
# Training several loaded layers in one process ends 3.3.1 now and then, in its
# ``pir::utils::name_analysis``, where Paddle's own function has loaded them as well (4 of 25 runs
# of fourteen): each learns in a process of its own, and one that is ended tries again.
TRIES = 4
_THE_SAME_END = "basic_string"  # told otherwise
# A gradient this much smaller than the largest is noise beside it.
NOISE = 1e-3


def learnt(layer: Any, values: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """The gradients of a step, of all inputs of numbers and of all that the layer trains."""
    import paddle

    from matrix.saving import leaves_of

    parameters = [one for one in layer.parameters() if not one.stop_gradient]
    for one in parameters:
        one.clear_gradient()
    inputs = {f"input {number}": paddle.to_tensor(one) for number, one in enumerate(values)}
    inputs = {name: one for name, one in inputs.items() if one.is_floating_point()}
    for one in inputs.values():
        one.stop_gradient = False
    given = [inputs.get(f"input {n}", paddle.to_tensor(one)) for n, one in enumerate(values)]
    leaves = [one for one in leaves_of(layer(*given)) if one.is_floating_point()]
    loss = paddle.add_n([(one.astype("float32") * _weights(one)).sum() for one in leaves])
    loss.backward()
    alike: dict[str, list[np.ndarray]] = {}
    for one in parameters:
        key = sha256(one.numpy().tobytes()).hexdigest()[:12] + str([*one.shape])
        alike.setdefault(key, []).append(_gradient(one))
    found = {name: _gradient(one) for name, one in inputs.items()}
    for key, several in alike.items():
        in_order = sorted(several, key=lambda gradient: float(np.abs(gradient).sum()))
        found.update({f"{key} {place}": one for place, one in enumerate(reversed(in_order))})
    return found


def lost(found: Learnt, wanted: Learnt) -> float:
    """The largest difference, as a share of the largest gradient of its parameter."""
    largest = max((_size(one) for one in wanted.values()), default=0.0)
    off = 0.0
    for name in {*found, *wanted}:
        some = found.get(name, wanted.get(name))
        zeros = np.zeros_like(some)
        one, other = found.get(name, zeros), wanted.get(name, zeros)
        if one.shape != other.shape:
            return float("inf")
        finite = np.isfinite(one) & np.isfinite(other)
        if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
            return float("inf")
        scale = max(_size(other), NOISE * largest) or 1.0
        off = max(off, float(np.abs(one - other).max(initial=0.0, where=finite)) / scale)
    return off


def apart(step: Callable[[], str]) -> str:
    """What a step tells, in a forked process, or how that ended."""
    outcome = ""
    for _ in range(TRIES):
        receive, send = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.write(send, step().encode())
            finally:
                os._exit(0)
        os.close(send)
        with os.fdopen(receive, encoding="utf-8") as told_by:
            outcome = told_by.read()
        _, status = os.waitpid(child, 0)
        if outcome and _THE_SAME_END not in outcome:
            return outcome
        outcome = outcome or f"dead: status {os.waitstatus_to_exitcode(status)}"
    return outcome


def _size(gradient: np.ndarray) -> float:
    return float(np.abs(gradient).max(initial=0.0, where=np.isfinite(gradient)))


def _weights(leaf: Any) -> Any:
    import paddle

    return paddle.cos(paddle.arange(leaf.size, dtype="float32")).reshape(leaf.shape)


def _gradient(tensor: Any) -> np.ndarray:
    if tensor.grad is None:
        return np.zeros(tensor.shape, "float32")
    found: np.ndarray = tensor.grad.astype("float32").numpy()
    return found
