"""The whole report as JSON; ``schema`` in it says which fields to expect."""

from __future__ import annotations

import json

from compatload.checking.finding import CheckReport


def render(report: CheckReport) -> str:
    return json.dumps(report.to_dict(), indent=2) + "\n"
