"""Reports as text: one module a format, each with ``render(report)``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compatload.checking.finding import CheckReport
from compatload.checking.reporters import as_json, github, html, junit, markdown, sarif, text
from compatload.errors import UsageError

REPORTERS: dict[str, Callable[[CheckReport], str]] = {
    "text": text.render,
    "json": as_json.render,
    "github": github.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "markdown": markdown.render,
    "html": html.render,
}


def render(report: CheckReport, form: str) -> str:
    """The report in one of the REPORTERS' forms, ending in a newline.

    Raises:
        UsageError: there is no such form.
    """
    return "".join(pieces(report, form))


def pieces(report: CheckReport, form: str) -> Iterator[str]:
    """What ``render`` returns, a part at a time where the form allows it. Raises as it does."""
    if form == "json":
        return as_json.pieces(report)
    reporter = REPORTERS.get(form)
    if reporter is None:
        raise UsageError(
            f"there is no output {form!r}.", action=f"Choose one of {', '.join(REPORTERS)}."
        )
    return iter((reporter(report),))
