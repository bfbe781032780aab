from __future__ import annotations

import pytest

from matrix.cells import Cell, Result, chosen

LSTM = Cell("2.6.2", "lstm", "3.3.1", "jit", "paddle")
RELU = Cell("3.0.0", "relu", "2.6.2", "predictor", "compatload")


def test_an_id_names_one_cell() -> None:
    assert LSTM.id == "2.6.2/lstm/3.3.1/jit/paddle"
    assert Cell.parse(LSTM.id) == LSTM


@pytest.mark.parametrize("text", ["", "2.6.2/lstm", "a/b/c/jit/nobody", "a/b/c/onnx/paddle"])
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a cell"):
        Cell.parse(text)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ([], [LSTM, RELU]),
        (["2.6.2/*"], [LSTM]),
        (["*/compatload", LSTM.id], [LSTM, RELU]),
        (["*/gru/*"], []),
    ],
)
def test_patterns_choose_cells(patterns: list[str], expected: list[Cell]) -> None:
    assert chosen([LSTM, RELU], patterns) == expected


@pytest.mark.parametrize(
    "result",
    [
        Result("ok", 0.0, 0.1),
        Result("wrong", float("inf"), 0.1, ("legacy",), ("CL101", "CL201")),
        Result("crash", error="SIGSEGV", confirmed=True),
    ],
)
def test_a_result_survives_its_dictionary(result: Result) -> None:
    assert Result.from_dict(result.to_dict()) == result


def test_an_unknown_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="fine"):
        Result.from_dict({"outcome": "fine"})
