"""What judges one kind of file, what it judges, and what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

from compatload.checking.finding import Finding, LoaderVerdict, ModelVerdict, Skipped
from compatload.checking.target import Target
from compatload.frozen import frozen

# Bytes of one member of an archive that is kept.
LARGEST_KEPT = 64 << 20


class Readable(Protocol):
    """A file on disk or a member of an archive."""

    @property
    def name(self) -> str: ...

    def read(self, limit: int) -> bytes: ...


class Checker(Protocol):
    """Judges one kind of file. Instances are sent to workers: they must pickle."""

    @property
    def kind(self) -> str: ...

    def recognises(self, name: str) -> bool:
        """Whether a file is for this checker, by its name alone."""
        ...

    def keeps(self, name: str) -> bool:
        """Whether a member of an archive is kept, to be judged together with its neighbours."""
        ...

    def check(self, file: Readable, target: Target) -> Judgement: ...

    def check_together(self, kept: Mapping[str, Any], target: Target) -> Judgement:
        """Judge the kept members of one archive, or files behind a URL.

        None is one that was too large to keep; weights may be a ``Source`` to read from.
        """
        ...


@dataclass
class Judgement:
    """What judging some files gave; verdicts add up."""

    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    models: list[ModelVerdict] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    passed_over: int = 0
    suppressed: int = 0

    def add(self, other: Judgement) -> None:
        self.findings += other.findings
        self.skipped += other.skipped
        self.models += map(_sharing, other.models)
        self.checked += other.checked
        self.passed_over += other.passed_over
        self.suppressed += other.suppressed


def _sharing(model: ModelVerdict) -> ModelVerdict:
    """The same; of thousands of models, most share what the loaders do with them."""
    return replace(model, loaders=_shared(model.loaders))


@lru_cache(maxsize=1024)
def _shared(loaders: tuple[LoaderVerdict, ...]) -> tuple[LoaderVerdict, ...]:
    return loaders


@frozen
class DiskFile:
    """A file that lies on disk under its own name."""

    name: str

    def read(self, limit: int) -> bytes:
        with open(self.name, "rb") as stream:
            return stream.read(limit)
