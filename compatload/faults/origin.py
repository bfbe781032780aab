"""On which side of a release a program was saved, where kernels changed there in silence."""

from __future__ import annotations

from collections.abc import Callable

from packaging.version import InvalidVersion, Version

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Condition, OperatorPattern
from compatload.releases import PIR_VERSIONS


def is_from_before(graph: Graph, release: str) -> bool:
    """Whether a legacy program tells a release of its own before that one (``"3.2"``), or a PIR
    program is of an older version than it writes."""
    if graph.artifact.pir_version is not None:
        return graph.artifact.pir_version < _pir_version(release)
    told = _told(graph)
    return told is not None and told < Version(f"{release}.dev0")


def is_from(graph: Graph, release: str) -> bool:
    """Whether it tells that one, or a later one."""
    if graph.artifact.pir_version is not None:
        return graph.artifact.pir_version >= _pir_version(release)
    told = _told(graph)
    return told is not None and told >= Version(f"{release}.dev0")


def across(
    release: str, operators: frozenset[str], where: Callable[[Operator, Graph], bool]
) -> tuple[Condition, Condition]:
    """Such operators, saved on one side of a release and loaded on the other."""

    def before(operator: Operator, graph: Graph) -> bool:
        return is_from_before(graph, release) and where(operator, graph)

    def since(operator: Operator, graph: Graph) -> bool:
        return is_from(graph, release) and where(operator, graph)

    return (
        Condition(paddle=f">={release}", operators=(OperatorPattern(operators, where=before),)),
        Condition(paddle=f"<{release}", operators=(OperatorPattern(operators, where=since),)),
    )


def _pir_version(release: str) -> int:
    """The first that this release, or a later one, writes."""
    wanted = Version(release)
    return min(number for number, by in PIR_VERSIONS.items() if Version(by[0]) >= wanted)


def _told(graph: Graph) -> Version | None:
    try:
        return Version((graph.artifact.saved_by or "").partition("==")[2])
    except InvalidVersion:
        return None
