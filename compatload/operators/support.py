"""Which operators of a program a release lacks, or reads differently. Pure; no Paddle, no files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from compatload.artifact.model import Operator, Program
from compatload.operators.registry import (
    PirOperator,
    legacy_operators,
    pir_operators,
)
from compatload.releases import PIR_VERSIONS


def unsupported_operators(
    program: Program, version: str, trusted_operators: Collection[str] = ()
) -> tuple[str, ...]:
    """Operators that Paddle ``version`` does not have, each with where it stands.

    An operator that has the name but takes other operands, or gives other results, counts too.
    Custom and distributed operators are in no registry and are listed, but for the names that are
    trusted.
    """
    return tuple(
        operator.position
        for operator in _unsupported(program, version)
        if operator.name.rpartition(".")[2] not in trusted_operators
    )


def _unsupported(program: Program, version: str) -> Iterator[Operator]:
    lacking = {kind for kind in set(map(_kind, program.operators)) if _lacks(version, *kind)}
    if lacking:
        yield from (one for one in program.operators if _kind(one) in lacking)


def _kind(operator: Operator) -> tuple[str, tuple[int, int] | None]:
    return operator.name, operator.arity if _is_pir(operator.name) else None


def _lacks(version: str, name: str, arity: tuple[int, int] | None) -> bool:
    if arity is None:
        return name not in legacy_operators(version)
    known = pir_operators(version).get(name)
    return known is None or not _fits(known, arity)


def leaves_attributes_out(program: Program, version: str) -> bool:
    """Whether a legacy program has operators without some attribute that Paddle ``version`` looks
    up, or of a first version, which another takes the place of."""
    known = legacy_operators(version)
    described = ((one, known.get(one.name)) for one in program.representatives)
    return any(its is None or its.left_out(one.attributes) for one, its in described)


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


def _fits(known: PirOperator, arity: tuple[int, int]) -> bool:
    # Absent optional operands are in the file too (as "%0"), so the counts are exact. Operators
    # outside pd_op, and control flow, take any number.
    if not known.described or not known.name.startswith("pd_op."):
        return True
    return arity == (len(known.operands), len(known.results))
