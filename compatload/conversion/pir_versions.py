"""PIR programs for other releases of Paddle, newer or older ones, without Paddle.

What a release expects comes from its own operator registry. Releases that share a version number
but not their registries (3.1.0 and 3.1.1, 3.3.0 and 3.3.1) are told apart by content: every
operator of the file is held against the target's registry, whatever number the file carries.
"""

from __future__ import annotations

import gc
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from compatload.conversion.pir_attributes import READABLE_NAN, Fitted, fit_attributes
from compatload.conversion.pir_replacements import Replacements
from compatload.errors import ConversionError, DamagedArtifactError
from compatload.operators.registry import (
    PIR_VERSIONS,
    OperatorTable,
    PirOperator,
    known_releases,
    pir_operators,
    pir_version_of,
)

# Dialects as files abbreviate them. Custom (3) and distributed (4) operators are not in any
# registry: nobody can say what another release makes of them.
_DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf"}
_PARAMETER = "p"  # builtin.parameter in a short form of its own, the same in all releases


@dataclass(frozen=True)
class Change:
    """``count`` operators of that name were changed in the same way; ``what`` says how."""

    operator: str
    what: str
    count: int = 1


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
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise _damaged(f"{type(error).__name__}: {error}") from error


def convert_pir_bytes(
    data: bytes, target: str, *, source: str | None = None
) -> tuple[bytes, tuple[Change, ...]]:
    """The bytes of a ``.json`` program for Paddle ``target``; see ``convert_pir``.

    A file in the form in which Paddle writes it, of which only attributes have to change, is
    rewritten in place without being parsed as a whole; any other is parsed and written anew. Both
    ways give equal JSON.
    """
    table = pir_operators(target)
    with _paused_collector():
        spliced = _splice(data, table)
        if spliced is not None:
            return spliced
        converted, changes = convert_pir(_parse(data), target, source=source)
        text = json.dumps(converted, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        try:
            return text.encode(), changes
        except UnicodeEncodeError as error:
            raise _damaged(f"a string is not valid Unicode ({error.reason})") from error


def releases_that_wrote(program: Mapping[str, Any]) -> tuple[str, ...]:
    """Known releases that may have saved this program, oldest first.

    The version number names a few; of those, the ones whose registry fits every operator as it
    stands. ``()``: the number is unknown, or a development build wrote it.
    """
    number = program["base_code"]["version"]
    fitting = []
    for release in PIR_VERSIONS.get(number, ()):
        try:
            _, changes = convert_pir(program, release)
        except ConversionError:
            continue
        if all(not change.operator or change.what.endswith(READABLE_NAN) for change in changes):
            fitting.append(release)
    return tuple(fitting)


def operator_name(abbreviated: str) -> str:
    """``1.conv2d`` → ``pd_op.conv2d``; ``p`` → ``builtin.parameter``."""
    if abbreviated == _PARAMETER:
        return "builtin.parameter"
    dialect, _, name = abbreviated.partition(".")
    return f"{_DIALECTS.get(dialect, dialect)}.{name}"


class _Conversion:
    """One program on its way to one release."""

    def __init__(self, program: Mapping[str, Any], table: OperatorTable[PirOperator]) -> None:
        self._program = program
        self._table = table
        self._changes: Counter[tuple[str, str]] = Counter()
        self._obstacles: list[str] = []
        self._replacements = Replacements(program, table)

    def run(self, source: str | None) -> tuple[dict[str, Any], tuple[Change, ...]]:
        base = self._program["base_code"]
        if base["magic"] != "pir" or type(base["version"]) is not int:
            raise _damaged("base_code does not name a PIR program")
        regions = self._regions(self._program["program"]["regions"])
        if self._obstacles:
            raise _obstructed(self._obstacles, self._table.release, base["version"], source)
        number = pir_version_of(self._table.release)
        if base["version"] != number:
            self._changes["", f"PIR version {base['version']} becomes {number}"] += 1
        converted = {
            **self._program,
            "base_code": {**base, "version": number},
            "program": {**self._program["program"], "regions": regions},
        }
        return converted, _collected(self._changes)

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
        if short == _PARAMETER:
            return (operator,)
        name = operator_name(short)
        known = self._table.get(name)
        if known is not None and _takes(known, operator):
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


def _takes(known: PirOperator, operator: Mapping[str, Any]) -> bool:
    """Whether the release's operator has as many operands and results as the file's.

    Absent optional operands are written too (as value 0), so the counts must agree.
    """
    if not known.described or not known.name.startswith("pd_op."):
        return True
    return len(operator["I"]) == len(known.operands) and len(operator["O"]) == len(known.results)


def _copy_regions(regions: Sequence[Any]) -> tuple[list[Any], list[dict[str, Any]]]:
    """Copies of the regions and their blocks (not of the operators), and the blocks in order."""
    copies = [
        {**region, "blocks": [dict(block) for block in region["blocks"]]} for region in regions
    ]
    return copies, [block for region in copies for block in region["blocks"]]


def _collected(changes: Mapping[tuple[str, str], int]) -> tuple[Change, ...]:
    return tuple(Change(name, what, count) for (name, what), count in sorted(changes.items()))


# --- bytes ----------------------------------------------------------------------------------

# What Paddle writes: keys in order, no white space. "{" directly before a quote cannot stand
# inside a JSON string (there the quote would be escaped, or end the string before a "#"), so
# these patterns meet the structure only, never a string's content.
_HEAD = re.compile(
    rb'\{"base_code":\{"magic":"pir","trainable":(?:true|false),"version":(\d{1,9})\},'
    rb'"program":\{"regions":\['
)
_OPERATOR = re.compile(rb'\{"#":"([^"\\]+)","A":\[')
_END = re.compile(rb'\],"(?:DA|I)":')


def _splice(
    data: bytes, table: OperatorTable[PirOperator]
) -> tuple[bytes, tuple[Change, ...]] | None:
    """The converted file, or None where it takes more than new attributes in a canonical file."""
    head = _HEAD.match(data)
    if head is None or not data.rstrip().endswith(b"]}]}]}}"):
        return None
    number = pir_version_of(table.release)
    pieces = [data[: head.start(1)], str(number).encode()]
    done = head.end(1)
    changes: Counter[tuple[str, str]] = Counter()
    if int(head[1]) != number:
        changes["", f"PIR version {int(head[1])} becomes {number}"] += 1
    seen: dict[bytes, Fitted] = {}
    rewritten: dict[bytes, bytes] = {}
    found = 0
    for match in _OPERATOR.finditer(data, head.end()):
        found += 1
        if match[1] == b"p":
            continue
        start = match.end() - 1
        end = _END.search(data, start)
        if end is None:
            return None
        key = data[match.start() : end.start() + 1]
        fitted = seen.get(key)
        if fitted is None:
            fitted = _fit_text(match[1], data[start : end.start() + 1], table)
            if fitted is None or fitted.obstacles:
                return None  # parsing tells what stands in the way, and where
            seen[key] = fitted
            if fitted.attributes is not None:
                rewritten[key] = _dump(fitted.attributes)
        if fitted.attributes is not None:
            pieces += (data[done:start], rewritten[key])
            done = end.start() + 1
            name = operator_name(match[1].decode())
            for change in fitted.changes:
                changes[name, change] += 1
    # Every "A" must have been the attributes of an operator seen above; otherwise somebody else
    # wrote this file, and its keys stand in another order.
    if found != data.count(b'"A"'):
        return None
    pieces.append(data[done:])
    return b"".join(pieces), _collected(changes)


def _fit_text(short: bytes, text: bytes, table: OperatorTable[PirOperator]) -> Fitted | None:
    name = operator_name(short.decode("utf-8", "replace"))
    if name not in table or name in _signatures_that_changed():
        return None
    try:
        return fit_attributes(table[name], json.loads(text), table.release)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


@cache
def _signatures_that_changed() -> frozenset[str]:
    """Operators whose operands or results differ between releases, in number or in order."""
    signatures: dict[str, set[object]] = {}
    for release in known_releases():
        for name, operator in pir_operators(release).items():
            signatures.setdefault(name, set()).add((operator.operands, operator.results))
    return frozenset(name for name, known in signatures.items() if len(known) > 1)


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _damaged(f"no JSON: {error}") from error


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


@contextmanager
def _paused_collector() -> Iterator[None]:
    # A parsed program is millions of containers without cycles: each collection on the way walks
    # all of them and frees nothing (17 MB: 1.4 s with the collector, 0.6 s without).
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
