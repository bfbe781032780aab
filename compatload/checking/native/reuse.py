"""Sights of what passes of the PIR predictor do to values that are read, or made, twice. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from packaging.version import Version

from compatload.artifact.model import Artifact, Operator
from compatload.checking.native.links import Wiring, named
from compatload.programs.shared_memory import sharing
from compatload.rules.links import FIRST, SECOND, operand
from compatload.rules.matching import OperatorIndex, bare_name
from compatload.rules.onednn import CONVOLUTIONS
from compatload.rules.predictor import FUSED_ACTIVATIONS
from compatload.rules.reuse import IN_PLACE, OUTPUT_WITH_TWIN, OVERWRITING, VIEWS

_ACTIVATIONS = FUSED_ACTIVATIONS | {"elu", "exp", "log_softmax", "prelu", "round", "softplus"}
_ELEMENTWISE = frozenset({"add", "multiply", "subtract", "divide", "scale"}) | _ACTIVATIONS
# What leaves the order that a convolution has given to its first operand. Turned back for a
# reader outside of oneDNN, a value gets memory of its own.
_IN_ORDER = _ELEMENTWISE | {
    *("batch_norm", "bilinear_interp", "clip", "concat", "layer_norm", "pool2d", "softmax"),
    *("split", "split_with_num"),
}
# What oneDNN runs in PIR programs, or did until it computed in place; tried one by one before a
# cosine.
_IN_ONEDNN = (
    CONVOLUTIONS
    | _IN_ORDER
    | {
        *("bmm", "flatten", "matmul", "max", "mean", "min", "pad", "pad3d", "slice", "sum"),
        "transpose",
    }
)
# Two of these are not found to be alike.
_NOT_SEEN_ALIKE = frozenset({"cast", "reshape"})
_LIST_TAKEN_APART = "builtin.split"
_IMAGE = 4  # dimensions


def overwritten(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Operators that compute in the memory of one of oneDNN's values that is read later."""
    if not named(artifact, _in_place(release)):
        return ()
    links, index = Wiring(artifact), OperatorIndex(artifact.program)
    return tuple(
        one for one, value in _overwriting(index, release) if _is_of_onednn(value, links, release)
    )


def detached_and_overwritten(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Values of ``detach()`` in memory that an operator outside of oneDNN computes in."""
    found = sharing(artifact)
    if not found:
        return ()
    index = OperatorIndex(artifact.program)
    memories = {value for _, value in _overwriting(index, release)}
    return tuple(
        one for one in found if index.in_memory_of(operand(one, FIRST) or "", VIEWS)[0] in memories
    )


def _overwriting(index: OperatorIndex, release: str) -> Iterator[tuple[Operator, str]]:
    """What computes in place there, and the value whose memory that is."""
    names = _in_place(release)
    for pattern in OVERWRITING:
        for one in index.matching([pattern]):
            value = operand(one, pattern.overwrites)
            if value is not None and bare_name(one) in names:
                yield one, index.in_memory_of(value, pattern.views)[0]


@cache
def _in_place(release: str) -> frozenset[str]:
    """The operators that compute in place there, outside of oneDNN."""
    return frozenset(name for name, since in IN_PLACE.items() if Version(since) <= Version(release))


def _is_of_onednn(value: str | None, links: Wiring, release: str) -> bool:
    """Whether oneDNN computes a value, and leaves it in an order that others read as it is."""
    maker = links.makes(value)
    if maker is not None and maker.name == _LIST_TAKEN_APART:
        maker = links.makes(operand(maker, FIRST))
    return (
        maker is not None
        and _runs_in_onednn(maker, value, links, release)
        and not _has_own_order(value, links)
        and not _is_layer_of_images(maker, value, links)
    )


def _runs_in_onednn(operator: Operator, result: str | None, links: Wiring, release: str) -> bool:
    return (
        bare_name(operator) in _IN_ONEDNN - _in_place(release) and links.dtype(result) == "float32"
    )


def _has_own_order(value: str | None, links: Wiring) -> bool:
    """Whether a value is an image as a convolution leaves it: turned back for others."""
    seen: set[str | None] = set()
    while (maker := links.makes(value)) is not None and value not in seen:
        seen.add(value)
        shape = links.shape(value) or ()
        if len(shape) < _IMAGE or shape[1] == 1 or all(size == 1 for size in shape[2:]):
            return False
        if bare_name(maker) in CONVOLUTIONS:
            return True
        if bare_name(maker) not in _IN_ORDER:
            return False
        value = operand(maker, FIRST)
    return False


def _is_layer_of_images(maker: Operator, value: str | None, links: Wiring) -> bool:
    """Whether a fully connected layer, fused, yields four dimensions: these are turned back."""
    if bare_name(maker) == "relu":
        value = operand(maker, FIRST)
        maker = links.makes(value) or maker
    product = links.makes(operand(maker, FIRST))
    return (
        bare_name(maker) == "add"
        and len(links.shape(value) or ()) == _IMAGE
        and len(links.shape(operand(maker, SECOND)) or ()) == 1
        and product is not None
        and bare_name(product) == "matmul"
        and links.is_stored(operand(product, SECOND))
    )


def output_with_twin(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Outputs that are computed like another one, by what keeps the name that is fetched."""
    found = OperatorIndex(artifact.program).matching((OUTPUT_WITH_TWIN,))
    links = Wiring(artifact) if found else None
    return tuple(one for one in found if links and _keeps_name(operand(one, FIRST), links, release))


def _keeps_name(value: str | None, links: Wiring, release: str) -> bool:
    """Whether no reordering stands before the fetch, and the pass sees that two are alike."""
    maker = links.makes(value)
    if maker is None or bare_name(maker) in _NOT_SEEN_ALIKE:
        return False
    return _is_layer_of_images(maker, value, links) or not _runs_in_onednn(
        maker, value, links, release
    )
