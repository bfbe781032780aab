"""What stands in, in a release that lacks a PIR operator, for what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compatload.operators.registry import OperatorTable, PirOperator


@dataclass(frozen=True)
class Replacement:
    operators: Sequence[dict[str, Any]]
    what: str


class Replacements:
    def __init__(self, program: Mapping[str, Any], table: OperatorTable[PirOperator]) -> None:
        self._table = table

    def replace(self, name: str, operator: Mapping[str, Any]) -> Replacement | str:
        return f"Paddle {self._table.release} has no such operator"
