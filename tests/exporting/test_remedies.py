"""Which remedy is taken is decided from what the attempts are, without Paddle."""

from __future__ import annotations

from contextlib import nullcontext

from compatload.errors import ExportError
from compatload.exporting.remedies import Attempt, Remedy, remedied
from compatload.exporting.verification import Comparison

RIGHT = Comparison(0.0)
WRONG = Comparison(None, "differs by 1")
AT_EDGES = Comparison(0.0, at_edges="differs by 1 for inputs of shapes [[1, 1]]")
PLAIN = "plain"


def remedy(told: str) -> Remedy:
    return Remedy(lambda _: nullcontext(), (told,))


COPIES, SIZES, FORMS = (remedy(f"{name} ({name})") for name in ("CL421", "CL457", "CL424"))
KNOWN = (COPIES, SIZES, FORMS)


def taken(
    first: Comparison, doubted: tuple[str, ...] = (), **others: Comparison
) -> tuple[Attempt, Attempt | None, list[str]]:
    """What is taken, what failed last, and the attempts in their order."""
    tried: list[str] = []

    def attempt(one: Remedy | None) -> Attempt:
        name = next(iter(one.solves)) if one else PLAIN
        tried.append(name)
        return Attempt(others.get(name, first), ("besides",))

    return (*remedied(Attempt(first, ("besides",)), doubted, KNOWN, attempt), tried)


def test_a_right_model_is_left_alone() -> None:
    found, failing, tried = taken(RIGHT)
    assert (found.found, found.told, failing, tried) == (RIGHT, ("besides",), None, [])


def test_the_first_remedy_that_helps_is_taken_and_told() -> None:
    found, failing, tried = taken(WRONG, CL457=RIGHT, CL424=RIGHT)
    assert (found.found, tried) == (RIGHT, ["CL421", "CL457"])
    assert found.told == (*SIZES.told, "besides")
    assert found.solved == {"CL457"}
    assert failing is not None


def test_what_never_helps_is_the_last_that_failed() -> None:
    last = Comparison(None, "differs by 2")
    found, failing, tried = taken(WRONG, CL424=last)
    assert found.found == WRONG
    assert failing is not None
    assert failing.found == last
    assert tried == ["CL421", "CL457", "CL424"]


def test_further_sizes_are_a_matter_of_what_counts_with_sizes() -> None:
    found, _, tried = taken(AT_EDGES, CL457=RIGHT)
    assert (found.found, tried) == (RIGHT, ["CL457"])


def test_where_no_remedy_helps_the_plain_model_is_written_again() -> None:
    found, _, tried = taken(AT_EDGES, CL457=WRONG)
    assert found.found == AT_EDGES
    assert found.told == ("besides",)
    assert tried == ["CL457", "CL424", PLAIN]


def test_a_remedy_that_helps_but_at_the_edges_is_taken_if_none_is_better() -> None:
    found, _, tried = taken(WRONG, CL421=AT_EDGES)
    assert found.found == AT_EDGES
    assert found.told == (*COPIES.told, "besides")
    assert tried == ["CL421", "CL457", "CL424", "CL421"]
    assert taken(WRONG, CL421=AT_EDGES, CL424=RIGHT)[2] == ["CL421", "CL457", "CL424"]


def test_what_may_be_wrong_is_written_otherwise_though_the_numbers_agree() -> None:
    found, _, tried = taken(RIGHT, ("CL424",))
    assert found.told == (*FORMS.told, "besides")
    assert tried == ["CL424"]


def test_an_error_of_the_plain_save_stays_the_first() -> None:
    error = ExportError("no", action="")
    found, failing = remedied(
        Attempt(WRONG, error=error), (), KNOWN, lambda _: Attempt(WRONG, error=ExportError("no"))
    )
    assert found.error is error
    assert failing is not None
