"""One cell of the matrix, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase

APIS = ("jit", "static", "predictor")
CALLERS = ("paddle", "compatload")
# "predictor+paddlex": with that Config of ``matrix.configs``; "predictor+CL203,CL213": with what
# plans leave out by those rules (``matrix.remedies``).
WITH, AND = "+", ","
_RULES = re.compile(rf"CL\d+({AND}CL\d+)*")
OUTCOMES = ("ok", "wrong", "error", "crash", "hang", "not run")


@dataclass(frozen=True, order=True)
class Cell:
    """``model``, saved by ``saver``, loaded by ``loader`` through ``api``, by whose call."""

    saver: str
    model: str
    loader: str
    api: str
    caller: str

    @property
    def id(self) -> str:
        """``"2.6.2/lstm/3.3.1/jit/paddle"``."""
        return "/".join((self.saver, self.model, self.loader, self.api, self.caller))

    @classmethod
    def parse(cls, text: str) -> Cell:
        """The cell of that id; ValueError if it is none."""
        parts = text.split("/")
        if len(parts) != 5 or parts[3].partition(WITH)[0] not in APIS or parts[4] not in CALLERS:
            raise ValueError(f"not a cell: {text} (saver/model/loader/api/caller)")
        return cls(*parts)


def is_remedy(named: str) -> bool:
    """Whether what stands behind ``WITH`` is a rule, or several, rather than a Config."""
    return _RULES.fullmatch(named) is not None


@dataclass(frozen=True)
class Result:
    """What came of a cell.

    ``difference`` is the largest relative one (see ``comparison``), ``seconds`` the time of
    loading and the first run, ``steps`` and ``rules`` what compatload's plan took, ``error`` one
    line, ``confirmed`` whether a crash or hang was seen again in a fresh process.
    """

    outcome: str
    difference: float | None = None
    seconds: float | None = None
    steps: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    error: str | None = None
    confirmed: bool | None = None

    def to_dict(self) -> dict[str, object]:
        """Without what is empty."""
        return {name: value for name, value in asdict(self).items() if value not in (None, ())}

    @classmethod
    def from_dict(cls, raw: Mapping[str, object]) -> Result:
        values = dict(raw)
        for name in ("steps", "rules"):
            values[name] = tuple(values.get(name, ()))  # type: ignore[arg-type]
        result = cls(**values)  # type: ignore[arg-type]
        if result.outcome not in OUTCOMES:
            raise ValueError(f"unknown outcome {result.outcome!r}")
        return result


def chosen(cells: Sequence[Cell], patterns: Sequence[str]) -> list[Cell]:
    """The cells whose id fits any pattern (``*`` also crosses slashes); all if there is none."""
    if not patterns:
        return list(cells)
    return [cell for cell in cells if any(fnmatchcase(cell.id, one) for one in patterns)]
