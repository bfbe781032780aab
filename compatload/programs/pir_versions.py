"""PIR programs for other releases of Paddle, newer or older ones, without Paddle.

What a release expects comes from its own operator registry. Releases that share a version number
but not their registries (3.1.0 and 3.1.1, 3.3.0 and 3.3.1) are told apart by content: every
operator of the file is held against the target's registry, whatever number the file carries.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from compatload.collection import collection_paused
from compatload.errors import ConversionError, DamagedArtifactError
from compatload.operators.registry import (
    OperatorTable,
    PirOperator,
    pir_operators,
    pir_version_of,
)
from compatload.programs.pir_attributes import READABLE_NAN, fit_attributes
from compatload.programs.pir_changes import (
    PARAMETER,
    Change,
    collected,
    operator_name,
    takes,
)
from compatload.programs.pir_graph import ProgramValues
from compatload.programs.pir_replacements import Replacements
from compatload.programs.pir_text import rewrite
from compatload.releases import PIR_VERSIONS

__all__ = ["Change", "convert_pir", "convert_pir_bytes", "operator_name", "releases_that_wrote"]

# What the layout of a file that is no program raises, wherever it departs from one.
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError)


def convert_pir(
    program: Mapping[str, Any], target: str, *, source: str | None = None
) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """A saved PIR program (its whole JSON object) as Paddle ``target`` wants it.

    ``program`` is never altered; the result shares with it what did not change. ``source`` is the
    release that saved it, for messages only.

    Raises:
        ConversionError: with every operator and attribute that the target cannot express.
        DamagedArtifactError: this is no PIR program.
    """
    table = pir_operators(target)
    try:
        return _Conversion(program, table).run(source)
    except _MALFORMED as error:
        raise _damaged(f"{type(error).__name__}: {error}") from error


def convert_pir_bytes(
    data: bytes, target: str, *, source: str | None = None
) -> tuple[bytes, tuple[Change, ...]]:
    """The bytes of a ``.json`` program for Paddle ``target``; see ``convert_pir``.

    A file in the form in which Paddle writes it is rewritten operator by operator, without being
    parsed as a whole (``pir_text``); any other is parsed and written anew. Both ways give equal
    JSON.
    """
    table = pir_operators(target)
    # Each collection on the way would walk the whole program (17 MB: 1.4 s with it, 0.6 s without).
    with collection_paused():
        rewritten = rewrite(data, table)
        if rewritten is not None:
            return rewritten
        converted, changes = convert_pir(_parse(data), target, source=source)
        try:
            text = json.dumps(converted, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
            return text.encode(), changes
        except (ValueError, RecursionError) as error:  # 1e999, a lone surrogate, nested too deeply
            raise _damaged(f"it holds what JSON cannot: {error}") from error


def releases_that_wrote(program: Mapping[str, Any]) -> tuple[str, ...]:
    """Known releases that may have saved this program, oldest first.

    The version number names a few; of those, the ones whose registry fits every operator as it
    stands. ``()``: the number is unknown, or a development build wrote it.
    """
    fitting = []
    for release in PIR_VERSIONS.get(_version(program), ()):
        try:
            _, changes = convert_pir(program, release)
        except ConversionError:
            continue
        if all(not change.operator or change.what.endswith(READABLE_NAN) for change in changes):
            fitting.append(release)
    return tuple(fitting)


class _Conversion:
    """One program on its way to one release."""

    def __init__(self, program: Mapping[str, Any], table: OperatorTable[PirOperator]) -> None:
        self._program = program
        self._table = table
        self._changes: Counter[tuple[str, str]] = Counter()
        self._obstacles: list[str] = []
        self._replacements = Replacements(
            lambda: ProgramValues.of_program(program), table, _version(program)
        )

    def run(self, source: str | None) -> tuple[dict[str, Any], tuple[Change, ...]]:
        version = _version(self._program)
        regions = self._regions(self._program["program"]["regions"])
        if self._obstacles:
            raise _obstructed(self._obstacles, self._table.release, version, source)
        number = pir_version_of(self._table.release)
        if version != number:
            self._changes["", f"PIR version {version} becomes {number}"] += 1
        converted = {
            **self._program,
            "base_code": {**self._program["base_code"], "version": number},
            "program": {**self._program["program"], "regions": regions},
        }
        return converted, collected(self._changes)

    def _regions(self, regions: Sequence[Any]) -> list[Any]:
        """New regions with new operators; a stack of blocks stands in for recursion."""
        copies, waiting = _copy_regions(regions)
        waiting.reverse()
        number = 0
        while waiting:
            block = waiting.pop()
            operators = block["ops"]
            block["ops"] = converted = []
            nested: list[dict[str, Any]] = []
            for index, operator in enumerate(operators):
                for new in self._operator(operator, f"block {number}, operator {index}"):
                    if "regions" in new:
                        inner, blocks = _copy_regions(new["regions"])
                        new = {**new, "regions": inner}
                        nested += blocks
                    converted.append(new)
            # Blocks are numbered as they stand in the file: nested ones before later siblings.
            waiting.extend(reversed(nested))
            number += 1
        return copies

    def _operator(self, operator: dict[str, Any], position: str) -> Sequence[dict[str, Any]]:
        short = operator["#"]
        if short == PARAMETER:
            return (operator,)
        name = operator_name(short)
        known = self._table.get(name)
        changes = self._replacements.changes(name)
        if known is not None and takes(known, operator) and not changes:
            return (self._fit(known, operator, position),)
        replaced = self._replacements.replace(name, operator)
        if isinstance(replaced, str):
            self._obstacles.append(f"{name} ({position}): {replaced}")
            return (operator,)
        self._changes[name, replaced.what] += 1
        return replaced.operators

    def _fit(self, known: PirOperator, operator: dict[str, Any], position: str) -> dict[str, Any]:
        fitted = fit_attributes(known, operator["A"], self._table.release)
        for obstacle in fitted.obstacles:
            self._obstacles.append(f"{known.name} ({position}): {obstacle}")
        for change in fitted.changes:
            self._changes[known.name, change] += 1
        return operator if fitted.attributes is None else {**operator, "A": fitted.attributes}


def _version(program: Mapping[str, Any]) -> int:
    """``base_code.version``; DamagedArtifactError where there is no usable one."""
    try:
        base = program["base_code"]
        if base["magic"] == "pir" and type(base["version"]) is int:
            return int(base["version"])
    except (KeyError, TypeError) as error:
        raise _damaged("it has no base_code") from error
    raise _damaged("base_code does not name a PIR program")


def _copy_regions(regions: Sequence[Any]) -> tuple[list[Any], list[dict[str, Any]]]:
    """Copies of the regions and their blocks (not of the operators), and the blocks in order."""
    copies = [
        {**region, "blocks": [dict(block) for block in region["blocks"]]} for region in regions
    ]
    return copies, [block for region in copies for block in region["blocks"]]


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _damaged(f"no JSON: {error}") from error


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _damaged(cause: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"This is no PIR program that could be converted ({cause}).",
        action="Save the model again, or copy the file once more from where it came from.",
    )


def _obstructed(
    obstacles: Sequence[str], release: str, number: int, source: str | None
) -> ConversionError:
    written = f"Paddle {source}" if source else f"PIR version {number}"
    return ConversionError(
        f"The program ({written}) cannot be expressed in Paddle {release}.",
        obstacles=obstacles,
        action=f"Run it on a newer Paddle than {release}, or export it without these operators.",
    )
