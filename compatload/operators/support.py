"""Which operators of a program a release lacks, or reads differently. Pure; no Paddle, no files."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from compatload.artifact.model import Operator, Program
from compatload.operators.registry import (
    PirOperator,
    legacy_operators,
    pir_operators,
)


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


def _is_pir(name: str) -> bool:
    return "." in name


def _fits(known: PirOperator, arity: tuple[int, int]) -> bool:
    # Absent optional operands are in the file too (as "%0"), so the counts are exact. Operators
    # outside pd_op, and control flow, take any number.
    if not known.described or not known.name.startswith("pd_op."):
        return True
    return arity == (len(known.operands), len(known.results))
