"""What a check says: findings, what was skipped and why, and the report that holds both."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict

from compatload.frozen import frozen

SCHEMA_VERSION = 1


class Severity(str, enum.Enum):
    """How sure trouble is; all but notes make a report incompatible."""

    ERROR = "error"  # fails, crashes or gives wrong numbers on the target
    WARNING = "warning"  # does so for some inputs or models
    NOTE = "note"  # works, and could be better

    @property
    def rank(self) -> int:
        """Smaller is worse."""
        return tuple(Severity).index(self)


@frozen
class Finding:
    """One thing found, and the one thing to do about it.

    Lines and columns count characters from 1, ``end_column`` is the first one after; all four are
    None for findings about a whole file. ``fixable`` says that ``--fix`` can change it.
    """

    rule: str
    severity: Severity
    path: str
    message: str
    action: str
    target: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    fixable: bool = False

    @property
    def location(self) -> str:
        """``path:line:column``, as editors understand it."""
        parts = [self.path, self.line, self.column]
        return ":".join(str(part) for part in parts if part is not None)

    @property
    def order(self) -> tuple[str, int, int, str]:
        return self.path, self.line or 0, self.column or 0, self.rule

    def to_dict(self) -> dict[str, object]:
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "message": self.message,
            "action": self.action,
            "target": self.target,
            "fixable": self.fixable,
        }


@frozen
class Skipped:
    """Something that was not judged. ``unsafe``: it tried to escape, or to exhaust the reader."""

    path: str
    reason: str
    unsafe: bool = False

    def to_dict(self) -> dict[str, object]:
        return {"path": self.path, "reason": self.reason, "unsafe": self.unsafe}


class ExitCode(enum.IntEnum):
    """What ``compatload check`` exits with."""

    COMPATIBLE = 0
    INCOMPATIBLE = 1
    USAGE = 2  # a wrong argument or an error of compatload's own: no report at all
    NOTHING_RECOGNISED = 3


class Way(str, enum.Enum):
    """How a target loads a model."""

    NATIVE = "natively"  # Paddle's own three loaders, with the right numbers
    COMPATLOAD = "through compatload"  # which repairs or translates, or tells the predictor
    CONVERSION = "after a conversion"  # which compatload makes in memory
    NONE = "not at all"


@frozen
class LoaderVerdict:
    """One of Paddle's loaders: what it does alone, and the steps that compatload takes.

    ``api``: ``layer``, ``program`` or ``predictor``; ``alone``: ``ok``, ``error``, ``crash`` or
    ``wrong``, with the rule and the operators (type, block, number) that make it so; a rule beside
    ``ok`` makes it fail, or ``wrong``, for some inputs.
    """

    api: str
    alone: str
    rule: str | None = None
    places: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@frozen
class ModelVerdict:
    """A model that was found. ``ran`` is empty unless it was run; then it says what came of it."""

    path: str
    format: str
    saved_by: str | None
    way: Way
    loaders: tuple[LoaderVerdict, ...]
    obstacles: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "way": self.way.value}

    @property
    def described(self) -> str:
        """``legacy program, saved by paddle ==2.6.2: through compatload (layer error …)``."""
        saved = f"saved by paddle {self.saved_by}" if self.saved_by else "release unknown"
        alone = ", ".join(f"{one.api} {one.alone}" for one in self.loaders)
        why = f" (Paddle alone: {alone})" if self.way is not Way.NATIVE and alone else ""
        return f"{self.format} program, {saved}: loads {self.way.value}{why}"


@frozen
class CheckReport:
    """The result of a check.

    ``models`` are the saved models found, with how the target loads each. ``checked`` counts the
    files that were judged, by kind (``{"source": 12, "artifact": 3}``); ``passed_over`` the files
    that no checker is for. ``suppressed`` counts findings that a comment or the configuration
    asked not to hear of.
    """

    target: str
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    checked: Mapping[str, int] | None = None
    passed_over: int = 0
    suppressed: int = 0
    models: tuple[ModelVerdict, ...] = ()

    @property
    def checked_total(self) -> int:
        return sum((self.checked or {}).values())

    @property
    def exit_code(self) -> ExitCode:
        """0 compatible, 1 incompatible or unsafe, 3 nothing recognised (2 never is a report)."""
        bad = any(finding.severity is not Severity.NOTE for finding in self.findings)
        if bad or any(entry.unsafe for entry in self.skipped):
            return ExitCode.INCOMPATIBLE
        return ExitCode.COMPATIBLE if self.checked_total else ExitCode.NOTHING_RECOGNISED

    @property
    def counts(self) -> dict[str, int]:
        """Severity → number of findings."""
        found = Counter(finding.severity.value for finding in self.findings)
        return {severity.value: found[severity.value] for severity in Severity}

    @property
    def summary(self) -> str:
        """``checked N, skipped M (why)`` and what was found; skipped never reads as clean."""
        reasons = Counter(entry.reason for entry in self.skipped)
        why = "; ".join(f"{reason}: {count}" for reason, count in sorted(reasons.items()))
        counts = ", ".join(f"{n} {severity}s" for severity, n in self.counts.items() if n)
        parts = [
            f"checked {self.checked_total}",
            f"skipped {len(self.skipped)}" + (f" ({why})" if why else ""),
        ]
        if self.passed_over:
            parts.append(f"passed over {self.passed_over} of other kinds")
        if self.suppressed:
            parts.append(f"{self.suppressed} suppressed")
        return f"{', '.join(parts)}; {counts or self._nothing_found} for {self.target}"

    @property
    def _nothing_found(self) -> str:
        if not self.checked_total:
            return "nothing recognised"
        return "nothing found in what was checked" if self.skipped else "nothing found"

    def to_dict(self) -> dict[str, object]:
        """The report as plain data; ``schema`` grows when a field changes its meaning."""
        return {
            **self.parts(),
            "models": [model.to_dict() for model in self.models],
            "findings": [finding.to_dict() for finding in self.findings],
            "skipped": [entry.to_dict() for entry in self.skipped],
        }

    def parts(self) -> dict[str, object]:
        """``to_dict`` whose models, findings and what was skipped are still to become data."""
        return {
            "schema": SCHEMA_VERSION,
            "target": self.target,
            "exit_code": int(self.exit_code),
            "checked": dict(self.checked or {}),
            "counts": self.counts,
            "passed_over": self.passed_over,
            "suppressed": self.suppressed,
            "models": self.models,
            "findings": self.findings,
            "skipped": self.skipped,
        }
