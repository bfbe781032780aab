"""What a trial of an engine found, and how it is kept. Read with suspicion: a child wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from compatload.frozen import frozen

MAXIMUM_BYTES = 1 << 16


@frozen
class EngineVerdict:
    """``problem`` says what is wrong with the engine, ``""`` if nothing; ``compared`` with what its
    outputs were compared, ``""`` if with nothing, and ``doubt`` why not. ``difference`` is the
    largest one, relative to the largest number of its output. ``milliseconds`` are those of a call
    of each engine that could be timed, with inputs of ``shapes``. ``whole`` is up to which whole
    numbers among the inputs it is right (None: all)."""

    problem: str = ""
    compared: str = ""
    doubt: str = ""
    difference: float = 0.0
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    shapes: str = ""
    whole: int | None = None

    def fastest(self) -> str | None:
        """The engine that took the least time, if any was timed."""
        known = self.milliseconds
        return min(known, key=known.__getitem__) if known else None

    def told(self) -> str:
        """For a report."""
        if self.compared:
            told = f"outputs agree with {self.compared} to {self.difference:.1e}"
        else:
            told = f"nothing was compared, since {self.doubt}"
        if self.whole is not None:
            told += f"; whole numbers above {self.whole:,} are refused"
        if not self.milliseconds:
            return told
        ranked = sorted(self.milliseconds.items(), key=lambda item: item[1])
        times = ", ".join(f"{engine} {taken:.3g} ms" for engine, taken in ranked)
        return f"{times} a call, measured here once with {self.shapes}; {told}"


def to_json(verdict: EngineVerdict) -> str:
    return json.dumps(asdict(verdict))


def from_json(text: bytes) -> EngineVerdict:
    """Raises ValueError for anything that ``to_json`` does not write."""
    try:
        told: Any = json.loads(text)
        words = {name: told[name] for name in ("problem", "compared", "doubt", "shapes")}
        if not all(isinstance(word, str) for word in words.values()):
            raise ValueError("a text is none")
        times = {str(name): float(taken) for name, taken in told["milliseconds"].items()}
        whole = None if told["whole"] is None else int(told["whole"])
        difference = float(told["difference"])
        return EngineVerdict(**words, difference=difference, milliseconds=times, whole=whole)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no verdict on an engine ({error})") from error
