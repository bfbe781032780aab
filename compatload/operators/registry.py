"""The operator registries of every known Paddle release. Nothing here imports paddle.

The tables in ``data/`` were read out of the wheels (``matrix/derive_operators.py``) and are only
opened when first asked for. Operators are decoded one by one, when they are looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from packaging.version import InvalidVersion, Version

from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.releases import RELEASES
from compatload.runtime.release import known_as

if TYPE_CHECKING:
    from importlib.abc import Traversable


@frozen
class PirAttribute:
    """``type`` as files write it (``0.a_i32``, ``0.a_array<0.a_i64>``, ``1.a_dtype``).

    ``scalar`` admits any number or bool; ``0.a_array`` any elements. None: the release does not
    say (attributes of ``builtin`` and control-flow operators).
    """

    name: str
    type: str | None


@frozen
class PirOperand:
    """``type``: ``dense``, ``vector<dense>``, ``tensor_array``, ``selected_rows``,
    ``sparse_coo``, ``sparse_csr``, or, where ``mutable_attribute`` is set (what was an attribute
    in legacy programs is a tensor here), ``intarray`` or ``scalar``."""

    name: str
    type: str
    optional: bool = False
    mutable_attribute: bool = False


@frozen
class PirResult:
    """``intermediate``: kept for a gradient; Paddle marks such results ``optional`` as well."""

    name: str
    type: str
    optional: bool = False
    intermediate: bool = False


@frozen
class PirOperator:
    """``described`` is False where the release tells no operands and results."""

    name: str
    attributes: tuple[PirAttribute, ...]
    operands: tuple[PirOperand, ...] = ()
    results: tuple[PirResult, ...] = ()
    described: bool = True

    def attribute(self, name: str) -> PirAttribute | None:
        return next((item for item in self.attributes if item.name == name), None)


@frozen
class LegacySlot:
    """``duplicable``: takes several variables; ``dispensable``: may be missing; ``intermediate``:
    an output nobody asks for (XShape); ``extra``: not part of the operator's meaning."""

    name: str
    duplicable: bool = False
    dispensable: bool = False
    intermediate: bool = False
    extra: bool = False


@frozen
class LegacyAttribute:
    """``type`` is an AttrType name (``INT``, ``FLOATS`` …) or None where only an (empty) default
    is known; ``default`` is None where the operator has none."""

    name: str
    type: str | None
    extra: bool = False
    default: object = None


@frozen
class LegacyOperator:
    """``described`` is False for operators that exist without a prototype (most gradients)."""

    name: str
    inputs: tuple[LegacySlot, ...] = ()
    outputs: tuple[LegacySlot, ...] = ()
    attributes: tuple[LegacyAttribute, ...] = ()
    described: bool = True

    def attribute(self, name: str) -> LegacyAttribute | None:
        return next((item for item in self.attributes if item.name == name), None)

    def left_out(self, present: Collection[str]) -> tuple[LegacyAttribute, ...]:
        """Of the attributes that mean something, those that are not present and have a default."""
        return tuple(
            one
            for one in self.attributes
            if one.name not in present and one.default is not None and not one.extra
        )


_Operator = TypeVar("_Operator")


class OperatorTable(Mapping[str, _Operator], Generic[_Operator]):
    """Operators by name, in one release.

    ``release`` is the release the facts come from. ``exact`` is False when another version was
    asked for, one that this table does not know, and the nearest known one answers for it.
    """

    def __init__(
        self,
        release: str,
        exact: bool,
        entries: Mapping[str, Any],
        decode: Callable[[str, Any], _Operator],
    ) -> None:
        self.release = release
        self.exact = exact
        self._entries = entries
        self._decode = decode
        self._decoded: dict[str, _Operator] = {}

    def __getitem__(self, name: str) -> _Operator:
        operator = self._decoded.get(name)
        if operator is None:
            operator = self._decoded[name] = self._decode(name, self._entries[name])
        return operator

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@cache
def pir_operators(version: str) -> OperatorTable[PirOperator]:
    """Operators of the PIR dialects (``pd_op.conv2d``) that Paddle ``version`` knows."""
    return _pir_table(*_resolve(version, "pir"))


@cache
def legacy_operators(version: str) -> OperatorTable[LegacyOperator]:
    """Operators of legacy programs (``conv2d``) that Paddle ``version`` knows."""
    return _legacy_table(*_resolve(version, "legacy"))


@cache
def legacy_descriptions(name: str) -> tuple[LegacyOperator, ...]:
    """What the known releases say of a legacy operator, oldest first; none where none has it."""
    steps = _steps("legacy")
    return tuple(
        _decode_legacy(name, step["operators"][name]) for step in steps if name in step["operators"]
    )


@cache
def attribute_names(name: str) -> frozenset[str]:
    """Attributes of an operator of either format in any known release; none of an unknown one."""
    if "." not in name:
        return frozenset(one.name for each in legacy_descriptions(name) for one in each.attributes)
    entries = (step["operators"].get(name, [()]) for step in _steps("pir"))
    return frozenset(attribute for entry in entries for attribute, _ in entry[0])


@cache
def pir_operator(name: str, arity: tuple[int, int]) -> PirOperator | None:
    """As the newest release has it that gives it so many operands and results."""
    for release in reversed(known_releases()):
        known = pir_operators(release).get(name)
        if known is not None and (len(known.operands), len(known.results)) == arity:
            return known
    return None


def known_releases(kind: str = "pir") -> tuple[str, ...]:
    """Releases with such programs, oldest first; ``kind``: ``pir`` or ``legacy``."""
    return tuple(one.version for one in RELEASES if kind == "legacy" or one.pir_version is not None)


def pir_version_of(release: str) -> int:
    """The ``base_code.version`` that a 3.x release writes; a newer one counts as the newest."""
    return known_as(pir_operators(release).release).pir_version or 0


@cache
def fingerprint() -> str:
    """Names these tables: what was converted with others may be out of date."""
    packed = b"".join(_data(kind).read_bytes() for kind in ("legacy", "pir"))
    return hashlib.sha256(packed).hexdigest()


@cache
def _pir_table(release: str, exact: bool) -> OperatorTable[PirOperator]:
    return OperatorTable(release, exact, _entries("pir", release), _decode_pir)


@cache
def _legacy_table(release: str, exact: bool) -> OperatorTable[LegacyOperator]:
    return OperatorTable(release, exact, _entries("legacy", release), _decode_legacy)


def _resolve(version: str, kind: str) -> tuple[str, bool]:
    """(known release, whether it is the very one): the newest that is not above ``version``.

    Anything older than the oldest release with such programs counts as that one.
    """
    try:
        known = known_as(version)
    except InvalidVersion:
        raise UsageError(
            f"{version!r} is no version of Paddle.", action="Give one such as 3.3.1."
        ) from None
    releases = known_releases(kind)
    nearest = known.version if known.version in releases else releases[0]
    return nearest, Version(nearest) == Version(Version(version).public)


@cache
def _steps(kind: str) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(_data(kind).read_bytes())["releases"])


def _data(kind: str) -> Traversable:
    # Not compressed: zlib, loaded by Python after Paddle 2.6.2, meets the one inside libpaddle and
    # aborts the process (`free(): invalid pointer` in inflateReset2).
    return resources.files("compatload.operators") / "data" / f"{kind}.json"


@cache
def _entries(kind: str, release: str) -> Mapping[str, Any]:
    entries: dict[str, Any] = {}
    last = known_as(release).operators or release
    for step in _steps(kind):
        for name in step["removed"]:
            del entries[name]
        entries.update(step["operators"])
        if step["release"] == last:
            break
    return entries


def _decode_pir(name: str, entry: list[Any]) -> PirOperator:
    attributes = tuple(PirAttribute(item, kind) for item, kind in entry[0])
    if len(entry) == 1:
        return PirOperator(name, attributes, described=False)
    return PirOperator(
        name,
        attributes,
        operands=tuple(
            PirOperand(item.rstrip("?!"), kind, "?" in item, "!" in item) for item, kind in entry[1]
        ),
        results=tuple(
            PirResult(item.rstrip("?~"), kind, "?" in item, "~" in item) for item, kind in entry[2]
        ),
    )


def _decode_legacy(name: str, entry: list[Any]) -> LegacyOperator:
    if not entry:
        return LegacyOperator(name, described=False)
    attributes, inputs, outputs = entry
    return LegacyOperator(
        name,
        inputs=tuple(map(_decode_slot, inputs)),
        outputs=tuple(map(_decode_slot, outputs)),
        attributes=tuple(
            LegacyAttribute(item.rstrip("+"), kind, item.endswith("+"), _decode_default(default))
            for item, kind, default in attributes
        ),
    )


def _decode_slot(text: str) -> LegacySlot:
    return LegacySlot(text.rstrip("*?~+"), "*" in text, "?" in text, "~" in text, "+" in text)


def _decode_default(default: Any) -> object:
    # JSON has no infinity; the packer writes {"float": "inf"}.
    if isinstance(default, dict):
        return float(default["float"])
    return tuple(map(_decode_default, default)) if isinstance(default, list) else default
