"""CL234: a fully connected layer that two numbers multiply, one after the other."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Artifact, Operator
from compatload.plan import Api
from compatload.rules.links import Links, operand
from compatload.rules.matching import bare_name
from compatload.rules.model import Action, Condition, Evidence, OperatorPattern, Rule
from compatload.rules.onednn import PIR_IN_ONEDNN
from compatload.rules.predictor import FUSED_ACTIVATIONS

_PRODUCTS = frozenset({"matmul"})
_LAYER = frozenset({"add"})
_SCALE = frozenset({"scale"})

RULE = Rule(
    id="CL234",
    title="fully connected layer times two numbers, oneDNN, PIR program",
    when=(
        replace(
            PIR_IN_ONEDNN,
            operators=(
                OperatorPattern(
                    _PRODUCTS, feeds=_SCALE, through=FUSED_ACTIVATIONS | _LAYER, then=_SCALE
                ),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes the factor into the layer, and then the second one over it: of "
        "`linear(x) * 2 * 3` the 2 is lost, in silence. What 2.6 exports ends in a `scale` by 1 "
        "for every output, so that a translation of `linear(x) * 2` has two."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x) * 2 * 3, * 2 / 8, -(linear(x) * 2): 3.0.0 and 3.3.1"),
        Evidence("measured", "with relu or gelu before the numbers, too; with an addend: right"),
    ),
    parameters=("operator_scale_onednn_fuse_pass",),
)


def twice_scaled(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """The second of two factors behind a layer, or behind its activation."""
    links = Links(artifact.program.operators)
    found = []
    for product in artifact.program.operators:
        added = links.sole_reader(product) if bare_name(product) in _PRODUCTS else None
        if added is None or bare_name(added) not in _LAYER:
            continue
        reader = links.sole_reader(added)
        if reader is not None and bare_name(reader) in FUSED_ACTIVATIONS:
            reader = links.sole_reader(reader)
        second = links.sole_reader(reader) if _multiplies(reader, links) else None
        if second is not None and _multiplies(second, links) and _factor(reader, links) != 1.0:
            found.append(second)
    return tuple(found)


def _multiplies(operator: Operator | None, links: Links) -> bool:
    return (
        operator is not None
        and bare_name(operator) == "scale"
        and operator.attributes.get("bias", 0.0) == 0.0
        and _factor(operator, links) is not None
    )


def _factor(operator: Operator | None, links: Links) -> object:
    maker = links.makes(operand(operator, ("1",))) if operator is not None else None
    return maker.attributes.get("value") if maker is not None else None


FAULTS = (
    (
        "wrong",
        Condition(
            paddle=">=3.0",
            apis=frozenset({Api.PREDICTOR}),
            formats=frozenset({"pir"}),
            devices=frozenset({"cpu"}),
        ),
        twice_scaled,
    ),
)
