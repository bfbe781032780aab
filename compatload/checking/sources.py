"""Python files judged for a target: which rules may speak, and what they say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from compatload.checking.finding import Finding, Skipped
from compatload.checking.python_source import PythonSource, UnparsableError
from compatload.checking.reach import Reach
from compatload.checking.source_rules import (
    file_names,
    flags,
    fluid,
    loaders,
    predictor_config,
    to_static,
    uses,
    versions,
)
from compatload.checking.target import Target
from compatload.frozen import frozen

SUFFIXES = (".py", ".pyw")
LARGEST = 4 << 20  # bytes; a larger file is generated data, and costs a second and much memory


@frozen
class Family:
    """A module of source_rules: what a file must contain, and what looks for findings then."""

    triggers: tuple[re.Pattern[bytes], ...]
    find: Callable[[PythonSource, Target], Iterator[Finding]]

    def may_speak(self, data: bytes) -> bool:
        return all(trigger.search(data) is not None for trigger in self.triggers)


FAMILIES = (
    Family(flags.TRIGGERS, flags.find),
    Family(file_names.TRIGGERS, file_names.find),
    Family(predictor_config.TRIGGERS, predictor_config.find),
    Family(loaders.TRIGGERS, loaders.find),
    Family(versions.TRIGGERS, versions.find),
    Family(fluid.TRIGGERS, fluid.find),
    Family(uses.TRIGGERS, uses.find),
    Family(to_static.TRIGGERS, to_static.find),
)
_PADDLE = re.compile(rb"paddle|FLAGS_enable_pir_api|pdmodel")


def is_source(name: str) -> bool:
    return name.endswith(SUFFIXES)


def check_source(path: str, data: bytes, target: Target) -> list[Finding] | Skipped:
    """What is wrong in one file; Skipped where it cannot be judged.

    A file that lacks the bytes of every family's triggers is not parsed: that is most of the cost.
    """
    if len(data) > LARGEST:
        return Skipped(path, f"larger than {LARGEST >> 20} MiB")
    if b"\0" in data:
        return Skipped(path, "binary, not a Python source")
    if _PADDLE.search(data) is None:
        return []
    families = [family for family in FAMILIES if family.may_speak(data)]
    if not families:
        return []
    try:
        source = PythonSource(path, data)
        findings = [finding for family in families for finding in family.find(source, target)]
        findings = list(_that_run(findings, source, target))
        return sorted(findings, key=lambda finding: finding.order)
    except UnparsableError as error:
        return Skipped(path, str(error))
    except RecursionError:  # an expression of thousands of operators parses, and cannot be walked
        return Skipped(path, "nested too deeply")


def _that_run(findings: list[Finding], source: PythonSource, target: Target) -> Iterator[Finding]:
    """Without what stands where the target never comes, or where a version decides that cannot be
    followed."""
    reach = Reach(source, target)
    for finding in findings:
        if finding.line is not None and finding.column is not None:
            at = source.byte_place(finding.line, finding.column)
            if not reach.runs(at) or reach.by_version(at):
                continue
        yield finding
