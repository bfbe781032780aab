"""Which operators of a program a release lacks, or reads differently. Pure; no Paddle, no files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from compatload.artifact.model import Operator, Program
from compatload.frozen import frozen
from compatload.operators.registry import (
    PIR_VERSIONS,
    PirOperator,
    legacy_operators,
    pir_operators,
)

# The release that knows the most legacy operators.
_WIDEST_LEGACY = "2.6.2"


def unsupported_operators(program: Program, version: str) -> tuple[str, ...]:
    """Operators that Paddle ``version`` does not have, each with where it stands.

    An operator that has the name but takes other operands, or gives other results, counts too.
    Custom and distributed operators are in no registry and are listed.
    """
    return tuple(operator.position for operator in _unsupported(program, version))


def _unsupported(program: Program, version: str) -> Iterator[Operator]:
    pir = pir_operators(version)
    legacy = legacy_operators(version)
    for operator in program.operators:
        if not _is_pir(operator.name):
            if operator.name not in legacy:
                yield operator
            continue
        known = pir.get(operator.name)
        if known is None or not _fits(known, operator):
            yield operator


def misnamed_slots(program: Program) -> tuple[str, ...]:
    """Slots of legacy operators that are missing, or that hold something and no release knows.

    Each with its position. Paddle looks slots up by name and dereferences what it does not find:
    one flipped bit in a name (``Scale`` to ``Scame``) kills 2.6.2. Empty slots of older releases
    and operators that 2.6 does not know are left alone.
    """
    table = _slots_by_operator()
    found: list[str] = []
    # A program has a few dozen kinds of operators with the same slots filled, however long it is.
    sound: set[tuple[str | None, ...]] = set()
    for operator in program.operators:
        inputs, outputs = operator.inputs, operator.outputs
        is_filled = all(inputs.values()) and all(outputs.values())
        kind = (operator.name, *inputs, None, *outputs) if is_filled else ()
        if kind in sound:
            continue
        wrong = [f"{operator.position}: {slot}" for slot in _misnamed(operator, table)]
        if is_filled and not wrong:
            sound.add(kind)
        found += wrong
    return tuple(found)


@frozen
class _Slots:
    """Names of an operator's slots, and those of them that must hold something."""

    inputs: frozenset[str]
    outputs: frozenset[str]
    required: tuple[str, ...]


@cache
def _slots_by_operator() -> Mapping[str, _Slots]:
    return {
        name: _Slots(
            frozenset(slot.name for slot in known.inputs),
            frozenset(slot.name for slot in known.outputs),
            tuple(slot.name for slot in known.inputs if not slot.dispensable),
        )
        for name, known in legacy_operators(_WIDEST_LEGACY).items()
    }


def _misnamed(operator: Operator, table: Mapping[str, _Slots]) -> Iterable[str]:
    known = table.get(operator.name)
    if known is None:
        return ()
    inputs, outputs = operator.inputs, operator.outputs
    wrong: list[str] = []
    for names, found in ((known.inputs, inputs), (known.outputs, outputs)):
        if not names.issuperset(found):
            wrong += [name for name, values in found.items() if values and name not in names]
    for name in known.required:
        if not inputs.get(name):
            wrong.append(name)
    return wrong


def differing_operators(program: Program, pir_version: int, version: str) -> tuple[str, ...]:
    """Names of operators that Paddle ``version`` describes otherwise than those who wrote a file
    of that ``pir_version`` did: such a file has to be converted before ``version`` reads it.

    3.1.0 and 3.1.1, and 3.3.0 and 3.3.1, write one number with different registries: what either
    of them describes otherwise is listed, the file's own bytes decide
    (``conversion.pir_versions.convert_pir_bytes`` then changes nothing, or what is needed).
    """
    names = {item.name for item in program.operators if _is_pir(item.name)}
    return tuple(sorted(names & _differing(pir_version, version)))


@cache
def _differing(pir_version: int, version: str) -> frozenset[str]:
    target = pir_operators(version)
    writers = [pir_operators(release) for release in PIR_VERSIONS.get(pir_version, ())]
    if not writers:  # a development build: nobody knows what it wrote
        return frozenset(target)
    names = set(target).union(*writers)
    return frozenset(
        name for name in names if any(target.get(name) != table.get(name) for table in writers)
    )


def _is_pir(name: str) -> bool:
    return "." in name


def _fits(known: PirOperator, operator: Operator) -> bool:
    # Absent optional operands are in the file too (as "%0"), so the counts are exact. Operators
    # outside pd_op, and control flow, take any number.
    if not known.described or not known.name.startswith("pd_op."):
        return True
    return len(operator.inputs) == len(known.operands) and len(operator.outputs) == len(
        known.results
    )
