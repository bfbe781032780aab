"""What oneDNN's convolutions lose or take in (CL223, CL230), and its padding misreads (CL226)."""

from __future__ import annotations

from math import prod

from compatload.artifact.model import Artifact, Operator
from compatload.checking.native.links import Wiring, named
from compatload.checking.native.sightings import Sight
from compatload.rules.links import FIRST, SECOND, operand
from compatload.rules.matching import bare_name
from compatload.rules.onednn import ACTIVATED_CONVOLUTIONS, CONVOLUTIONS
from compatload.rules.predictor import FUSED_ACTIVATIONS

_TRANSPOSED = frozenset({"conv2d_transpose", "depthwise_conv2d_transpose"})
_TAKEN_IN = (FUSED_ACTIVATIONS - {"sqrt"}) | {"hard_sigmoid"}


def activation_over_convolutions(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """The second of two activations that follow a convolution, its bias or its normalisation."""
    found = named(artifact, ACTIVATED_CONVOLUTIONS)
    links = Wiring(artifact) if found else None
    seconds = (_second_activation(one, links) for one in found if links)
    return tuple(one for one in seconds if one is not None)


def _second_activation(convolution: Operator, links: Wiring) -> Operator | None:
    after = links.sole_reader(convolution, "Output")
    while after is not None and _is_taken_in(after, links):
        after = links.sole_reader(after, "Y" if bare_name(after) == "batch_norm" else "Out")
    if after is None or bare_name(after) not in _TAKEN_IN:
        return None
    second = links.sole_reader(after, "Out")
    # The pass goes through the types in the order of their names, and looks at each once.
    name = bare_name(second) if second is not None else ""
    return second if name in _TAKEN_IN and name > bare_name(after) else None


def _is_taken_in(after: Operator, links: Wiring) -> bool:
    """Whether a convolution takes it in: a normalisation, a bias along the channels."""
    if bare_name(after) == "elementwise_add":
        bias = operand(after, SECOND)
        return links.is_stored(bias) and len(links.shape(bias) or ()) == 1
    return bare_name(after) == "batch_norm"


def taken_for_bias(*, fits: bool) -> Sight:
    """Additions along other axes than the channels that a convolution takes for its bias;
    ``fits``: of as many elements as a bias has, so that nothing refuses them."""

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        found = named(artifact, CONVOLUTIONS)
        links = Wiring(artifact) if found else None
        added = [(one, links.sole_reader(one)) for one in found] if links else []
        return tuple(
            after
            for one, after in added
            if links and after is not None and _takes(one, after, links) is fits
        )

    return sees


def _takes(convolution: Operator, after: Operator, links: Wiring) -> bool | None:
    """Whether a bias would be as long; None if it is not taken, or as right in one place as in
    the other."""
    made, value = operand(after, FIRST), operand(after, SECOND)
    whole, shape, maker = links.shape(made), links.shape(value), links.makes(value)
    if bare_name(after) != "add" or made not in convolution.outputs.get("0", ()):
        return None
    if (
        not whole
        or not shape
        or len(shape) >= len(whole)
        or not links.is_computed_once(value or "")
    ):
        return None
    last = convolution.attributes.get("data_format") in ("NHWC", "NDHWC")
    channels = whole[-1] if last else whole[1]
    if len(shape) == 1 and shape[0] != channels:
        return False
    if len(shape) > 1 and (
        bare_name(convolution) in _TRANSPOSED or not shape[1] == prod(shape) == channels
    ):
        return None
    equal = maker is not None and bare_name(maker) == "full"
    return None if equal or channels == 1 or (last and len(shape) == 1) else True


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


def joined_after_turning(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Reshapes by numbers alone, between a transpose and a list of tensors."""
    found = named(artifact, frozenset({"transpose"}))
    links = Wiring(artifact) if found else None
    shaped = (links.sole_reader(one) for one in found) if links else ()
    return tuple(
        one
        for one in shaped
        if links
        and one is not None
        and bare_name(one) == "reshape"
        and _is_by_numbers(links.makes(operand(one, SECOND)))
        and any(bare_name(after) == "combine" for after in links.after(one))
    )


def _is_by_numbers(shape: Operator | None) -> bool:
    """Whether no size of a shape is that of the operand, which a zero stands for."""
    sizes = shape.attributes.get("value") if shape is not None else None
    return isinstance(sizes, (list, tuple)) and 0 not in sizes
