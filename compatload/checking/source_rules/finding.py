"""Findings of the CL3xx rules, filled in from the rules' table."""

from __future__ import annotations

import ast
from functools import cache

from packaging.specifiers import SpecifierSet

from compatload.checking.finding import Finding, Severity
from compatload.checking.python_source import PythonSource
from compatload.checking.target import Target
from compatload.faults.sources import SOURCE_RULES

_RULES = {rule.id: rule for rule in SOURCE_RULES}


def applies(rule: str, target: Target) -> bool:
    """Whether the target is one of the releases that the rule is about."""
    return _specifier(_RULES[rule].paddle).contains(target.version, prereleases=True)


def found(
    rule: str,
    source: PythonSource,
    node: ast.AST,
    target: Target,
    message: str,
    *,
    severity: str | None = None,
    action: str | None = None,
    fixable: bool = True,
) -> Finding:
    """A finding at a node; severity and action are the rule's own unless given.

    ``fixable=False`` says that this one is beyond ``--fix`` although its rule is not.
    """
    known = _RULES[rule]
    return Finding(
        rule=rule,
        severity=Severity(severity or known.severity),
        path=source.path,
        message=message,
        action=action or known.fix,
        target=str(target),
        fixable=known.fixable and fixable,
        **source.position(node),
    )


@cache
def _specifier(text: str) -> SpecifierSet:
    return SpecifierSet(text)
