"""Inputs by what they are called."""

from __future__ import annotations

import re

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import OperatorPattern

_INPUTS = frozenset({"data", "feed"})


def called(names: str) -> OperatorPattern:
    """Inputs of a program of either format whose whole name that regular expression matches."""
    pattern = re.compile(names)

    def is_called_so(operator: Operator, graph: Graph) -> bool:
        name = operator.attributes.get("name") or operator.outputs.get("Out", ("",))[0]
        return pattern.fullmatch(str(name)) is not None

    return OperatorPattern(_INPUTS, where=is_called_so)
