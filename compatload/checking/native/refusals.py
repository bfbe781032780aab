"""What oneDNN's convolutions lose, and what its operators refuse or misread (CL223 to CL226)."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.checking.native.links import FIRST, SECOND, Wiring, named, operand
from compatload.rules.matching import OperatorIndex, bare_name
from compatload.rules.onednn import INTERPOLATION_OF_ONE_PLACE, REFUSING_EMPTY
from compatload.rules.predictor import FUSED_ACTIVATIONS

_CONVOLUTIONS = frozenset({"conv2d", "depthwise_conv2d"})
_TAKEN_IN = (FUSED_ACTIVATIONS - {"sqrt"}) | {"hard_sigmoid"}


def activation_over_convolutions(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """The second of two activations that follow a convolution, its bias or its normalisation."""
    found = named(artifact, _CONVOLUTIONS)
    links = Wiring(artifact) if found else None
    seconds = (_second_activation(one, links) for one in found if links)
    return tuple(one for one in seconds if one is not None)


def _second_activation(convolution: Operator, links: Wiring) -> Operator | None:
    after = _reader(convolution, "Output", links)
    while after is not None and _is_taken_in(after, links):
        after = _reader(after, "Y" if bare_name(after) == "batch_norm" else "Out", links)
    if after is None or bare_name(after) not in _TAKEN_IN:
        return None
    second = _reader(after, "Out", links)
    # The pass goes through the types in the order of their names, and looks at each once.
    name = bare_name(second) if second is not None else ""
    return second if name in _TAKEN_IN and name > bare_name(after) else None


def _is_taken_in(after: Operator, links: Wiring) -> bool:
    """Whether a convolution takes it in: a normalisation, a bias along the channels."""
    if bare_name(after) == "elementwise_add":
        bias = operand(after, SECOND)
        return links.is_stored(bias) and len(links.shape(bias) or ()) == 1
    return bare_name(after) == "batch_norm"


def _reader(operator: Operator, slot: str, links: Wiring) -> Operator | None:
    """The one operator that reads what this one is there for."""
    made = operator.outputs.get(slot, ())
    readers = [one for value in made for one in links.readers.get(value, ())]
    return readers[0] if len(readers) == 1 else None


def empty_slice(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return _empty(artifact, frozenset({"slice"}))


def empty_result(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return _empty(artifact, REFUSING_EMPTY)


def empty_pooling(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return _empty(artifact, frozenset({"pool2d"}))


def _empty(artifact: Artifact, names: frozenset[str]) -> tuple[Operator, ...]:
    """Operators of those types that yield a tensor without elements."""
    found = named(artifact, names)
    links = Wiring(artifact) if found else None
    return tuple(
        one
        for one in found
        if links and any(0 in (links.shape(value) or ()) for value in _made(one))
    )


def _made(operator: Operator) -> tuple[str, ...]:
    """Its results but for the shapes of operands that legacy programs keep behind a zero."""
    slots = operator.outputs.items()
    return tuple(value for slot, values in slots if slot != "XShape" for value in values)


def squeezed_padding(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Padding by zeros of images with channels last, which go without their first axis after it."""
    found = [
        one
        for one in named(artifact, frozenset({"pad3d"}))
        if one.attributes.get("data_format") == "NDHWC"
        and one.attributes.get("mode", "constant") == "constant"
    ]
    links = Wiring(artifact) if found else None
    return tuple(
        one
        for one in found
        if links
        and links.dtype(operand(one, FIRST)) == "float32"
        and any(bare_name(after) == "squeeze" for after in links.after(one))
    )


def interpolation_of_one_place(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Interpolation of images of one by one that no convolution made: what the rules look for."""
    index = OperatorIndex(artifact.program)
    return index.matching(INTERPOLATION_OF_ONE_PLACE[artifact.format.family.value])


def input_as_output(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Inputs that are fetched as they are."""
    found = named(artifact, frozenset({"data"}))
    links = Wiring(artifact) if found else None
    return tuple(
        one
        for one in found
        if links and any(bare_name(after) == "fetch" for after in links.after(one))
    )
