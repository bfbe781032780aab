"""Explain a rule, with its evidence; without an id, list them all."""

from __future__ import annotations

import argparse

from compatload.errors import UsageError
from compatload.faults.catalogue import load_rules
from compatload.faults.model import Rule
from compatload.faults.texts import RuleText, rule_texts

EXIT_CODES = "exit codes: 0 told, 2 no such rule"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="such as CL201")


def run(arguments: argparse.Namespace) -> int:
    texts = rule_texts()
    if arguments.id is None:
        for identity in sorted(texts):
            print(f"{identity}  {texts[identity].title}")
        return 0
    identity = arguments.id.upper()
    if identity not in texts:
        raise UsageError(
            f"there is no rule {arguments.id}", action="Run `compatload rule` to list them."
        )
    loading = {rule.id: rule for rule in load_rules()}
    print(explain(loading[identity]) if identity in loading else told(texts[identity]))
    return 0


def told(text: RuleText) -> str:
    """A rule of the checks in words."""
    lines = [f"{text.id}: {text.title}", f"  {text.explanation}"]
    lines += [f"  {evidence}" for evidence in text.evidence]
    return "\n".join([*lines, f"  {text.fix}"] if text.fix else lines)


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
