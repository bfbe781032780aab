"""Has plans take the remedy of a rule where no operator asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from compatload import planning
from compatload.faults.matching import Match, matching_rules
from compatload.faults.model import Rule
from matrix.cells import AND


@contextmanager
def forced(named: str) -> Iterator[None]:
    """Plans of this process follow those rules wherever the release and the format are theirs."""
    wanted = set(named.split(AND))

    def matching(rules: Iterable[Rule], *place: Any, **where: Any) -> tuple[Match, ...]:
        rules = tuple(rules)
        found = {one.rule.id: one for one in matching_rules(rules, *place, **where)}
        anywhere = [
            replace(rule, when=tuple(replace(one, operators=()) for one in rule.when))
            for rule in rules
            if rule.id in wanted - set(found)
        ]
        taken = {one.rule.id for one in matching_rules(anywhere, *place, **where)}
        return tuple(
            found.get(rule.id) or Match(rule)
            for rule in rules
            if rule.id in found or rule.id in taken
        )

    planning.matching_rules = matching
    try:
        yield
    finally:
        planning.matching_rules = matching_rules
