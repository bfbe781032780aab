"""From an error of ``paddle.jit.save`` to its cause, the line, and the change to make."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compatload.errors import ExportError
from compatload.exporting.model_code import CodeLine, Expectation, lines_of_error
from compatload.faults.exporting import EXPORT_RULES, SAYINGS
from compatload.faults.limitations import LIMITATIONS

_RAISE = "CL426"  # its text is whatever the model says
_CAUSES = {rule.id: (rule.title, rule.explanation, rule.advice) for rule in EXPORT_RULES} | {
    row.id: (row.title, row.explanation, row.fix) for row in LIMITATIONS
}


def diagnosed(
    error: BaseException, path: str, runtime: str, expected: Sequence[Expectation]
) -> ExportError:
    """The ExportError that an error of Paddle's becomes."""
    rules = rules_for(str(error))
    passed = lines_of_error(error)
    line = passed[0] if passed else None
    fitting = [e for rule in (*rules, _RAISE) for e in expected if e.rule == rule]
    there = (e for e in fitting if e.place in passed and (e.rule != _RAISE or e.place == line))
    seen = next(there, next((e for e in fitting if e.rule in rules), None))
    rule = seen.rule if seen else _most_general(rules)
    line = seen.place if seen else line
    if rule is None:
        return ExportError(
            f"Paddle cannot save this model{_at(line)}: {short(error)}",
            action="Change that code, or report it with the whole error, which is its cause.",
            artifact=path,
            runtime=runtime,
        )
    title, cause, fix = _CAUSES[rule]
    return ExportError(
        f"{title}{_at(line)}: {cause} Paddle says: {short(error)}",
        action=fix,
        artifact=path,
        runtime=runtime,
        rule=rule,
    )


def unexplained(
    rule: str, expectation: Expectation | None, path: str, runtime: str, seen: str
) -> ExportError:
    """An ExportError for what was seen without any error text of Paddle's."""
    title, cause, fix = _CAUSES[expectation.rule if expectation else rule]
    at = _at(expectation.place) if expectation else ""
    return ExportError(
        f"{seen}: {title}{at}. {cause}",
        action=fix,
        artifact=path,
        runtime=runtime,
        rule=expectation.rule if expectation else rule,
    )


def doubted_of(rule: str, seen: str) -> str:
    """A warning of what was seen, where the model is saved all the same."""
    title, _, fix = _CAUSES[rule]
    return f"{rule}: {title}: {seen}. {fix}"


def cause_of(seen: str, expected: Sequence[Expectation]) -> Expectation | None:
    """Why a saved model is wrong: code that comes out wrong, or fails with such a text."""
    wrong = (entry for entry in expected if entry.happens == "wrong")
    fails = (entry for entry in expected if entry.rule in rules_for(seen))
    return next(wrong, next(fails, None))


def is_expected(error: BaseException, expected: Sequence[Expectation]) -> bool:
    """Whether the code has what such an error is known to come from."""
    rules = rules_for(str(error))
    return any(entry.rule in rules for entry in expected)


def rules_for(text: str) -> tuple[str, ...]:
    """Rules that an error's text may stand for."""
    return tuple(
        rule for saying in SAYINGS if re.search(saying.pattern, text) for rule in saying.rules
    )


def _most_general(rules: Sequence[str]) -> str | None:
    """Without the code, only what the text alone proves: a single rule, or the last of several."""
    return rules[-1] if rules else None


def _at(line: CodeLine | None) -> str:
    return f" at {line}" if line else ""


def short(error: BaseException) -> str:
    """The line of an error of Paddle's that says what happened."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not set(line) <= set("-=*^~ ")]
    named = [line for line in said if re.match(r"[\w.]*(Error|Exception|EnforceNotMet): ", line)]
    line = (named or said or [""])[-1 if named else 0]
    kind = type(error).__name__
    text = line if line.split(":")[0].endswith(kind) else f"{kind}: {line}"
    return text if len(text) <= 300 else text[:299] + "…"
