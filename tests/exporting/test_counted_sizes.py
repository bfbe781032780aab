"""Sizes that are not known, as numbers: no Paddle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compatload.exporting.counted_sizes import UnknownSize, told


def size(of: int) -> UnknownSize:
    return UnknownSize(-1, lambda: of)


@given(st.integers(1, 99), st.integers(1, 99))
def test_what_is_counted_with_a_size_knows_its_tensor(of: int, other: int) -> None:
    one = size(of)
    counted = [one + other, other - one, one * other, one // other, one % other]
    assert [told(part) for part in counted] == [
        *(of + other, other - of, of * other, of // other, of % other)
    ]
    assert told(one * one - 1) == of * of - 1


@given(st.integers(-9, 99))
def test_to_all_else_it_is_the_number_that_paddle_counts_with(other: int) -> None:
    one = size(7)
    assert one == -1
    assert (one + other, other * one, int(one)) == (-1 + other, -other, -1)
    assert -1 in [3, one]
    assert f"{[one, 3]}" == "[-1, 3]"


def test_sizes_within_lists_and_slices_are_told() -> None:
    one = size(7)
    assert told([one, (2, one + 1)]) == [7, (2, 8)]
    assert told(slice(one, None, 2)) == slice(7, None, 2)
    plain = [1, slice(0, 2)]
    assert told(plain) is plain


def test_what_is_no_number_of_places_stays_paddles() -> None:
    with pytest.raises(TypeError):
        size(7) + "text"  # type: ignore[operator]
    assert size(7) + 0.5 == -0.5
