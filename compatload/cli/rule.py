"""Explain a rule, with its evidence; without an id, list them all."""

from __future__ import annotations

import argparse

from compatload.errors import UsageError
from compatload.rules.catalogue import LOAD_RULES
from compatload.rules.model import Rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="such as CL201")


def run(arguments: argparse.Namespace) -> int:
    rules = {rule.id: rule for rule in LOAD_RULES}
    if arguments.id is None:
        for rule in rules.values():
            print(f"{rule.id}  {rule.title}")
        return 0
    if arguments.id.upper() not in rules:
        raise UsageError(
            f"there is no rule {arguments.id}", action="Run `compatload rule` to list them."
        )
    print(explain(rules[arguments.id.upper()]))
    return 0


def explain(rule: Rule) -> str:
    """A rule in words: what goes wrong, what is done about it, how it is known."""
    lines = [
        f"{rule.id}: {rule.title}",
        f"  {rule.explanation}",
        f"  Paddle alone: {rule.without}",
        f"  compatload: {rule.action.value} {', '.join(rule.parameters)}".rstrip(),
    ]
    lines += [f"  {evidence.kind}: {evidence.reference}" for evidence in rule.evidence]
    return "\n".join([*lines, f"  {rule.advice}"] if rule.advice else lines)
