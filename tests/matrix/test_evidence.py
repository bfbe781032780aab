from __future__ import annotations

from matrix.cells import Cell, Result
from matrix.evidence import CANDIDATES, candidates, told

OK = Result("ok", 0.0, rules=("CL101",))


def cell(model: str, loader: str = "3.3.1", api: str = "jit") -> Cell:
    return Cell("2.6.2", model, loader, api, "compatload")


def test_only_cells_that_are_ok_with_the_rule_can_show_it() -> None:
    cells = {
        cell("a"): OK,
        cell("b"): Result("error", rules=("CL101",)),
        cell("c"): Result("ok", 0.0, rules=("CL102",)),
    }
    assert candidates("CL101", cells, {}) == [cell("a")]


def test_candidates_are_few_and_cover_places_and_models_first() -> None:
    cells = {cell(f"model{n}", loader): OK for n in range(40) for loader in ("3.0.0", "3.3.1")}
    found = candidates("CL101", cells, {})
    assert len(found) == CANDIDATES
    assert {one.loader for one in found[:2]} == {"3.0.0", "3.3.1"}
    assert len({one.model for one in found}) >= CANDIDATES - 1


def test_whole_models_come_last() -> None:
    cells = {cell(model): OK for model in ("Whole", "small", "fixture:mlp")}
    listing = {"Whole": {"savers": ["2.6.2"]}, "small": {"savers": []}}
    found = candidates("CL101", cells, listing)
    assert [one.model for one in found] == ["fixture:mlp", "small", "Whole"]
    told_cells = told(cells, found, dict.fromkeys(cells, Result("crash")))["shown"]
    assert [one["cell"] for one in told_cells] == [one.id for one in found]


def test_a_rule_is_shown_by_what_fails_without_it() -> None:
    cells = {cell("a"): OK, cell("b"): OK, cell("c"): OK}
    without = {
        cell("a"): Result("crash", error="SIGSEGV"),
        cell("b"): OK,
        cell("c"): Result("not run", error="no wheel"),
    }
    found = told(cells, list(cells), without)
    assert found["tried"] == 3
    assert [one["cell"] for one in found["shown"]] == [cell("a").id]
    assert found["shown"][0]["without"] == {"outcome": "crash", "error": "SIGSEGV"}
