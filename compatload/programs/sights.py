"""Sights of faults that only the code of a conversion or a repair can tell. Pure.

``compatload.faults`` names them; a program is converted or repaired to see what that changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Operator
from compatload.errors import CompatLoadError
from compatload.faults.cl108_releases_of_one_pir_version import GRADIENTS
from compatload.faults.graph import Graph, bare_name
from compatload.frozen import frozen
from compatload.operators.registry import PirOperator, pir_operators, pir_version_of
from compatload.programs.legacy_repairs import as_in_pir as written
from compatload.programs.legacy_repairs import widened_scales
from compatload.programs.legacy_repairs import younger_kernels as computed_wider
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.pir_attributes import READABLE_NAN, fit_attributes
from compatload.programs.pir_changes import PARAMETER, operator_name, takes

# Attribute types whose reader dereferences what it is given, unasked: the others say what is wrong.
_DEREFERENCED = frozenset({"0.a_f32", "0.a_f64", "0.a_i32", "0.a_i64"})
# What a release changed and does not raise in older files, by release: its successors do.
_NOT_RAISED = {"3.1.1": frozenset({"kthvalue"})}
_BOUNDS_ARE_FINE = "decrease_axis became a squeeze2"


def unfit(graph: Graph, release: str, *, newer: bool = False) -> tuple[Operator, ...]:
    """PIR operators whose attributes are not of the types that the release reads, in files with
    its very version number, or with an older one, where the release forgets to raise them; or
    (``newer``) with a newer number than its own."""
    return tuple(one.operator for one in _told(graph, release, newer=newer))


def scalar_first(graph: Graph, release: str, *, newer: bool = False) -> tuple[Operator, ...]:
    """The same, if the first of them to be read is a plain number: that one is dereferenced."""
    found = _told(graph, release, newer=newer)
    return (found[0].operator,) if found and found[0].scalar else ()


def unread(graph: Graph, release: str, *, newer: bool = False) -> tuple[Operator, ...]:
    """Operators with an attribute that the release has not got and does not miss, but that
    matters to what they compute."""
    return tuple(one.operator for one in _told(graph, release, newer=newer, unread=True))


unfit_newer = partial(unfit, newer=True)
scalar_first_newer = partial(scalar_first, newer=True)
unread_newer = partial(unread, newer=True)


@frozen
class _Unfit:
    """``scalar``: the first attribute that does not fit is a plain number; ``unread``: nothing
    is amiss but an attribute that nobody will look at."""

    operator: Operator
    scalar: bool
    unread: bool


def _told(
    graph: Graph, release: str, *, newer: bool = False, unread: bool = False
) -> tuple[_Unfit, ...]:
    # Paddle itself raises older files to its own version; it does not look at newer ones, nor at
    # those that carry its own number.
    artifact = graph.artifact
    ahead = (artifact.pir_version or 0) - pir_version_of(release)
    forgotten = _NOT_RAISED.get(release, frozenset()) | GRADIENTS
    if (ahead > 0) is not newer or (ahead < 0 and not graph.named(forgotten)):
        return ()
    try:
        found = _unfit_of(artifact.program_bytes, release)
    except (CompatLoadError, LookupError, TypeError, ValueError, AttributeError):
        return ()  # a program that departs from the layout: inspection has said what it is
    if ahead < 0:
        found = tuple(one for one in found if bare_name(one.operator) in forgotten)
    return tuple(one for one in found if one.unread is unread)


@lru_cache(maxsize=8)
def _unfit_of(data: bytes, release: str) -> tuple[_Unfit, ...]:
    table = pir_operators(release)
    found = []
    for block, index, raw in _raw_operators(pir_json.parse(data)):
        name = operator_name(raw["#"])
        known = table.get(name)
        if raw["#"] == PARAMETER or known is None:
            continue
        fitted = fit_attributes(known, raw["A"], table.release)
        # What a release does not know it does not read; how NaN is spelled is another matter.
        changes = [
            change
            for change in fitted.changes
            if not change.endswith(READABLE_NAN) and ": left out," not in change
        ]
        ignored = [one for one in fitted.obstacles if "has no such attribute" in one]
        if changes or len(fitted.obstacles) > len(ignored) or not takes(known, raw):
            operator = Operator(name, {}, {}, {}, block, index)
            found.append(_Unfit(operator, _is_scalar(known, raw, changes), unread=False))
        elif ignored:
            found.append(_Unfit(Operator(name, {}, {}, {}, block, index), False, unread=True))
    return tuple(found)


def _is_scalar(known: PirOperator, raw: Mapping[str, Any], changes: Sequence[str]) -> bool:
    if not changes:
        return False
    name = changes[0].partition(":")[0]
    expected = known.attribute(name)
    held = next((one["AT"]["#"] for one in raw["A"] if one["N"] == name), None)
    return held in _DEREFERENCED and expected is not None and expected.type in _DEREFERENCED


def _raw_operators(program: Mapping[str, Any]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Operators as they are executed: what is in a block comes with the operator that owns it."""
    waiting: list[Iterator[tuple[int, int, dict[str, Any]]]] = []
    number = 0

    def blocks(regions: Iterable[Any]) -> Iterator[tuple[int, int, dict[str, Any]]]:
        nonlocal number
        for region in regions:
            for block in region["blocks"]:
                own, number = number, number + 1
                yield from ((own, index, one) for index, one in enumerate(block["ops"]))

    waiting.append(blocks(program["program"]["regions"]))
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        yield entry
        if "regions" in entry[2]:
            waiting.append(blocks(entry[2]["regions"]))


def misread_slices(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Slices with a negative step whose bounds the release reads otherwise (CL113)."""
    return _repaired(graph, release, ("strided_slice", "set_value"), "CL113")


def weighted_losses(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Losses that weigh positives, which the release computes otherwise (CL155)."""
    return _repaired(graph, release, ("sigmoid_cross_entropy_with_logits",), "CL155")


def widened_factors(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Interpolations whose factor the release reads as another number (CL123)."""
    second = widened_scales.REPAIRS  # what 1.x wrote becomes one of these
    names = (*second, *(name.removesuffix("_v2") for name in second))
    return _repaired(graph, release, names, widened_scales.RULE)


def untyped_values(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Constants that 3.x wrote and 2.6 does not find (CL125)."""
    return _repaired(graph, release, ("assign_value",), "CL125")


def newer_attributes(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What 2.6 computes as if it knew none of its attributes (CL140)."""
    return _repaired(graph, release, ("kldiv_loss", "round", "thresholded_relu"), "CL140")


def younger_kernels(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What 3.x saved of types that 2.6 has no kernel for, and has in wider ones (CL176)."""
    return _repaired(graph, release, computed_wider.REPAIRS, computed_wider.RULE)


def as_in_pir(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What 3.x saved and 2.6 lacks or reads otherwise (CL138)."""
    return _repaired(graph, release, written.REPAIRS, written.RULE)


def _repaired(graph: Graph, release: str, names: Iterable[str], rule: str) -> tuple[Operator, ...]:
    """What a repair changes by that rule; none is tried of a program without such
    operators."""
    artifact = graph.artifact
    if not graph.has(frozenset(names)):
        return ()
    try:
        changes = repair(
            artifact.program_bytes, release, translated=False, decoded=artifact.program
        ).changes
    except CompatLoadError:
        return ()
    positions = {
        change.position
        for change in changes
        if change.rule == rule and change.description != _BOUNDS_ARE_FINE
    }
    return tuple(one for one in artifact.program.operators if one.position in positions)
