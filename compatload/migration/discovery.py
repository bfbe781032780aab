"""Which files of a folder may be programs, and which names belong to each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from compatload.checking.artifacts import BARE, PROGRAM_SUFFIXES
from compatload.frozen import frozen

_BARE_WEIGHTS = ("__params__", "params", "weights")


@frozen
class PossibleModel:
    """Files of one stem that may be a model's programs, and the names that may belong to it."""

    folder: str
    stem: str
    programs: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def is_bare(self) -> bool:
        """A program without a suffix, as 1.x wrote them."""
        return self.stem in self.programs

    @property
    def key(self) -> str:
        return self.stem if self.is_bare else f"{self.stem}.*"


def candidates(folder: str, names: Sequence[str]) -> Iterator[PossibleModel]:
    """Every possible model of a folder, by names alone; methods belong to their model."""
    stems: dict[str, list[str]] = {}
    for name in names:
        if name in BARE:
            yield PossibleModel(folder, name, (name,), tuple(names))
        elif (stem := _stem(name)) is not None:
            stems.setdefault(stem, []).append(name)
    for stem in sorted(stems):
        if _has_parent(stem, stems):
            continue
        programs = sorted(stems[stem])
        if any(name.endswith(".pbtxt") for name in programs):
            belonging = tuple(names)  # one file a variable: the program says which
        else:
            belonging = tuple(n for n in names if n.startswith(f"{stem}.") or n in _BARE_WEIGHTS)
        yield PossibleModel(folder, stem, tuple(programs), belonging)


def own_names(candidate: PossibleModel) -> frozenset[str]:
    """What surely belongs to a model that could not be inspected."""
    return frozenset(
        name
        for name in candidate.names
        if name in candidate.programs or name.startswith(f"{candidate.stem}.pd")
    )


def _stem(name: str) -> str | None:
    for suffix in PROGRAM_SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            return name[: -len(suffix)]
    return None


def _has_parent(stem: str, stems: dict[str, list[str]]) -> bool:
    """``m.encode`` is a method of ``m``, where both are programs of one kind."""
    suffixes = {os.path.splitext(name)[1] for name in stems[stem]}
    parent = stem
    while "." in parent:
        parent = parent.rpartition(".")[0]
        if any(os.path.splitext(name)[1] in suffixes for name in stems.get(parent, ())):
            return True
    return False
