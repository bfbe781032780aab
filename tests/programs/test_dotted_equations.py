"""Dots of an equation become letters."""

from __future__ import annotations

import pytest

from compatload.programs.legacy_repairs.dotted_equations import spelled_out


@pytest.mark.parametrize(
    ("equation", "ranks", "expected"),
    [
        ("...ij,jk->...ik", (3, 2), "aij,jk->aik"),
        ("...ij,...jk->...ik", (4, 3), "abij,bjk->abik"),
        ("...i -> ...", (3,), "abi->ab"),
        ("i...,i...", (2, 2), "ia,ia->a"),
        ("b...a", (3,), "bca->cab"),
        ("...->", (2,), "ab->"),
        ("ij,jk->ik", (2, 2), None),
        ("...ij,jk->...ik", (1, 2), None),
        ("...ij", (3, 3), None),
    ],
)
def test_dots_become_letters(equation: str, ranks: tuple[int, ...], expected: str | None) -> None:
    assert spelled_out(equation, ranks) == expected
