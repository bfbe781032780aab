"""CL120: assignments into what an earlier call, or another value, left in the result's memory."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.plan import Api
from compatload.rules.links import FIRST, Links, operand
from compatload.rules.matching import bare_name
from compatload.rules.model import Action, Condition, Evidence, Rule

# What copies its first operand into the result only where that has no memory yet.
KEEPING = frozenset({"index_put", "index_elementwise_put", "index_elementwise_put_with_tensor"})
# What ends a run, or one round of a loop: nobody frees what goes there.
ENDS = frozenset({"fetch", "shadow_output", "yield"})
_NOT_OF_A_RUN = frozenset({"data", "feed", "parameter", "constant_tensor"})


def keeping(artifact: Artifact, release: str = "") -> tuple[Operator, ...]:
    """Assignments of a legacy program whose result has another name than what they assign to."""
    return tuple(
        one
        for one in artifact.program.operators
        if one.name in KEEPING and one.inputs.get("x") != one.outputs.get("out")
    )


def kept_at_the_end(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Assignments of a PIR program that yield an output in memory of its own."""
    found = [one for one in artifact.program.operators if bare_name(one) in KEEPING]
    links = Links(artifact.program.operators) if found else None
    return tuple(
        one
        for one in found
        if links
        and any(bare_name(reader) in ENDS for reader in links.after(one))
        and not _is_in_place(one, links)
    )


def _is_in_place(operator: Operator, links: Links) -> bool:
    """Whether a predictor lets it compute in the memory of its first operand."""
    value = operand(operator, FIRST)
    maker = links.makes(value)
    if value is None or maker is None or bare_name(maker) in _NOT_OF_A_RUN:
        return False
    readers = links.readers[value]
    return (
        not _is_constant(maker, links)
        and all(one.block == operator.block for one in readers)
        and max(one.index for one in readers) == operator.index
        and len(readers) == len({one.index for one in readers})
    )


def _is_constant(maker: Operator, links: Links) -> bool:
    """Whether a pass computes that once: a stored tensor is never overwritten."""
    waiting, seen = [maker], set[tuple[int, int]]()
    while waiting:
        one = waiting.pop()
        if bare_name(one) in ("data", "feed"):
            return False
        if (one.block, one.index) not in seen:
            seen.add((one.block, one.index))
            waiting += links.before(one)
    return True


RULE = Rule(
    id="CL120",
    title="assignment into what an earlier call left behind",
    when=(),
    action=Action.REPAIR,
    explanation=(
        "`y[mask] = v`, `index_put` and their like copy what is assigned to into the result only "
        "where that has no memory yet. In a predictor results keep theirs from one call to the "
        "next (those of legacy programs all, of PIR programs the outputs), and "
        "memory_optimize_pass gives them that of other values: every call assigns into the "
        "result of the one before, and `accumulate=True` grows. The assignment is made in a copy."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "y[y > 1] = 0 run twice, or at another size: 2.6.2 to 3.3.1"),
        Evidence("measured", "with memory_optim from the first call on: 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "PIR programs: index_put of an input or a constant that is an output"),
    ),
)
_PREDICTOR = frozenset({Api.PREDICTOR})
# How Paddle alone fails: outcome, where, and what is seen.
FAULTS = (
    ("wrong", Condition(apis=_PREDICTOR, formats=frozenset({"legacy"})), keeping),
    ("wrong", Condition(apis=_PREDICTOR, formats=frozenset({"pir"})), kept_at_the_end),
)
