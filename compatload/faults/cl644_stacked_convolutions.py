"""CL644: results of convolutions stacked in front of their channels, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CHANNELS, LEGACY_ON_CPU, PIR_ON_CPU, is_laid_out


def _is_before_channels(stack: Operator, graph: Graph) -> bool:
    axis = stack.attributes.get("axis", 0)
    values = graph.joined(stack)
    ranks = {len(graph.shape(one) or ()) for one in values}
    if not isinstance(axis, int) or not ranks:
        return False
    return axis % (max(ranks) + 1) == CHANNELS and any(is_laid_out(one, graph) for one in values)


_STACKED = (OperatorPattern(frozenset({"stack"}), where=_is_before_channels),)

RULE = Rule(
    id="CL644",
    title="results of convolutions stacked in front of their channels, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_STACKED),
        replace(PIR_ON_CPU, operators=_STACKED),
    ),
    action=Action.REWRITE,
    explanation=(
        "`paddle.stack([conv(x), other(x)], axis=1)`, as selective kernels and split attention "
        "have it: where the convolution keeps channels in blocks, those of groups on every CPU "
        "that was tried, oneDNN cannot give its description one more axis in front of them: "
        "`could not reshape a memory descriptor`, `std::exception` in PIR programs. What is "
        "stacked are copies, which are plain."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "two groups of 4, 8 and 16 channels, on 2.6.2 and 3.3.1; stacked along other axes, of "
            "four groups, of no groups (AVX-512): right",
        ),
    ),
    module="compatload.programs.rewritings.plain_list",
    alone=(Alone(775, "error"),),
)
