"""CL278: channels that are shuffled by hand and are not of float32, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import PIR, Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU, RESHAPES, TRANSPOSITIONS

SHUFFLING_PASSES = (
    "shuffle_channel_detect_pass",
    "shuffle_channel_mkldnn_detect_pass",
    "shuffle_channel_onednn_detect_pass",
)
_ORDER = (0, 2, 1, 3, 4)  # of groups and channels


def around_shuffle(operator: Operator, graph: Graph) -> tuple[Operator, Operator] | None:
    """The reshapes before and after a transposition, if the three shuffle channels."""
    order = operator.attributes.get("perm", operator.attributes.get("axis"))
    if not isinstance(order, (list, tuple)) or tuple(order) != _ORDER:
        return None
    before = graph.producer(operand(operator, FIRST))
    after = graph.sole_user(operator, _first_slot(operator))
    if (
        before is not None
        and after is not None
        and bare_name(before) in RESHAPES
        and bare_name(after) in RESHAPES
        and len(graph.shape(operand(before, FIRST)) or ()) == len(_ORDER) - 1
    ):
        return before, after
    return None


def _is_shuffle(operator: Operator, graph: Graph) -> bool:
    other = graph.dtype(operand(operator, FIRST)) not in {None, *IN_ONEDNN}
    return other and around_shuffle(operator, graph) is not None


def _first_slot(operator: Operator) -> str:
    return "Out" if "Out" in operator.outputs else "0"


def _taken(graph: Graph, release: str) -> tuple[Operator, ...]:
    shuffles = (one for one in graph.named(TRANSPOSITIONS) if _is_shuffle(one, graph))
    return tuple(one for one in shuffles if graph.dtype(operand(one, FIRST)) != "float64")


def _misread(graph: Graph, release: str) -> tuple[Operator, ...]:
    shuffles = (one for one in graph.named(TRANSPOSITIONS) if _is_shuffle(one, graph))
    return tuple(one for one in shuffles if graph.dtype(operand(one, FIRST)) == "float64")


_PIR = replace(PIR_ON_CPU, formats=PIR)
_SHUFFLED = (OperatorPattern(TRANSPOSITIONS, where=_is_shuffle),)

RULE = Rule(
    id="CL278",
    title="channels shuffled by hand that are not of float32, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_SHUFFLED),
        replace(PIR_ON_CPU, operators=_SHUFFLED),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes reshape, transpose and reshape for a shuffle of channels and asks for "
        "oneDNN's operator. Integers have none, which is an error; float64 is read as float32 "
        "and gives numbers up to 1e276."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "of float64: 1e252 on 2.6.2, 1e248 and 1e276 on 3.3.1"),
        Evidence("measured", "of int64: `shuffle_channel` has no kernel, on all"),
    ),
    parameters=SHUFFLING_PASSES,
    alone=(
        Alone(450, when=_PIR, sees=_misread),
        Alone(451, "error", _PIR, _taken),
    ),
)
