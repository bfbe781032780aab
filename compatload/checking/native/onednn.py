"""What oneDNN's convolutions lose (CL223), and what its padding misreads (CL226)."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.checking.native.links import Wiring, named
from compatload.rules.links import FIRST, SECOND, operand
from compatload.rules.matching import bare_name
from compatload.rules.onednn import ACTIVATED_CONVOLUTIONS
from compatload.rules.predictor import FUSED_ACTIVATIONS

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
