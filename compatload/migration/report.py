"""What a migration says: each model before and after, what was skipped, and what is to be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from compatload.checking.finding import ExitCode, ModelVerdict, Skipped, Way
from compatload.frozen import frozen

SCHEMA_VERSION = 1
COPIED, CONVERTED, FAILED = "copied", "converted", "failed"
# Of a dry run.
TO_COPY, TO_CONVERT = "to be copied", "to be converted"


@frozen
class State:
    """A model's program, the release that wrote it, and how the target loads it."""

    format: str
    saved_by: str | None
    way: str
    rules: tuple[str, ...] = ()

    @classmethod
    def of(cls, verdict: ModelVerdict) -> State:
        rules = dict.fromkeys(one.rule for one in verdict.loaders if one.rule)
        return cls(verdict.format, verdict.saved_by, verdict.way.value, tuple(rules))

    @property
    def told(self) -> str:
        why = f" ({', '.join(self.rules)})" if self.rules else ""
        return f"{self.format}, loads {self.way}{why}"


@frozen
class ModelMigration:
    """One model.

    Args:
        path: in the target, without a suffix; ``source`` where it was found.
        outcome: ``copied``, ``converted``, ``failed``; of a dry run ``to be copied``,
            ``to be converted``.
        before, after: None where it could not be inspected, or nothing was written.
        files: written, relative to the target, the program last.
        verification: ``agrees``, or why nothing was run; ``difference`` the largest one that was
            seen in the loaders that ran, ``paddle`` the releases that ran source and result.
        seconds: it took in this run; ``resumed``: nothing, it was done and unchanged.
        problem, action: why it failed, and what to do; ``rule``, where one decided.
    """

    path: str
    source: str
    outcome: str
    before: State | None = None
    after: State | None = None
    files: tuple[str, ...] = ()
    verification: str = ""
    difference: float | None = None
    paddle: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    problem: str = ""
    action: str = ""
    rule: str | None = None
    seconds: float = 0.0
    resumed: bool = False

    @property
    def is_native(self) -> bool:
        """Whether Paddle's own loaders take what was (or is to be) written."""
        if self.outcome == TO_CONVERT:
            return True  # nobody knows before it is made
        last = self.after or self.before
        return self.outcome != FAILED and last is not None and last.way == Way.NATIVE.value

    def to_dict(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ModelMigration:
        """What ``to_dict`` told, once it went through JSON.

        Raises KeyError or TypeError for anything else.
        """

        def state(one: Any) -> State | None:
            return None if one is None else State(**{**one, "rules": tuple(one["rules"])})

        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        plain.update(before=state(data["before"]), after=state(data["after"]))
        return cls(**plain)


@frozen
class MigrationReport:
    """The result of a migration.

    ``beside`` counts the other files that lie in the target now, ``written`` those of them that
    this run wrote.
    """

    target: str
    release: str
    models: tuple[ModelMigration, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    beside: int = 0
    written: int = 0
    dry_run: bool = False

    @property
    def exit_code(self) -> ExitCode:
        """0 done, 1 a model failed or needs compatload still, 3 there is no model."""
        bad = any(not model.is_native for model in self.models)
        if bad or any(entry.unsafe for entry in self.skipped):
            return ExitCode.INCOMPATIBLE
        return ExitCode.COMPATIBLE if self.models else ExitCode.NOTHING_RECOGNISED

    @property
    def counts(self) -> dict[str, int]:
        """Outcome → number of models."""
        return dict(sorted(Counter(model.outcome for model in self.models).items()))

    @property
    def summary(self) -> str:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in self.counts.items())
        parts = [f"{len(self.models)} models for {self.release}: {counts or 'none found'}"]
        resumed = sum(model.resumed for model in self.models)
        if resumed:
            parts.append(f"{resumed} of them done before")
        agrees = sum(model.verification == "agrees" for model in self.models)
        if agrees:
            parts.append(f"{agrees} run and compared")
        foreign = sum(model.outcome != FAILED and not model.is_native for model in self.models)
        if foreign:
            parts.append(f"{foreign} need compatload there")
        if self.beside:
            parts.append(f"{self.beside} files beside them")
        if self.skipped:
            parts.append(f"skipped {len(self.skipped)}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, object]:
        """The report as plain data; ``schema`` grows when a field changes its meaning."""
        return {
            **self.parts(),
            "models": [model.to_dict() for model in self.models],
            "skipped": [entry.to_dict() for entry in self.skipped],
        }

    def parts(self) -> dict[str, object]:
        """``to_dict`` whose models and what was skipped are still to become data."""
        return {
            "schema": SCHEMA_VERSION,
            "target": self.target,
            "release": self.release,
            "dry_run": self.dry_run,
            "exit_code": int(self.exit_code),
            "counts": self.counts,
            "beside": self.beside,
            "written": self.written,
            "models": self.models,
            "skipped": self.skipped,
        }
