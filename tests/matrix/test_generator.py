"""Drawn models: by their names, in real Paddles, what fails alike, and some of the day's seed."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.cells import Result
from matrix.environments import ensure
from matrix.generator import causes
from matrix.generator.causes import AT_HOME, DEAD, FAILS, REFUSED, RIGHT, UNDOCUMENTED, WRONG
from matrix.generator.coverage import NOT_MET, coverage, untried, why_not
from matrix.generator.description import Call, Description
from matrix.generator.forms import formed
from matrix.generator.report import page, summary
from matrix.generator.searching import Load, Search
from matrix.generator.shrinking import candidates, least
from matrix.network import Input
from matrix.versions import entries
from tests.releases import releases

NORM = "paddle.nn.functional.layer_norm"
X = {"x": {"input": "x0"}}
# CL250: a predictor of Paddle's own leaves out the weight; all else of it can go.
HALF = Description(
    (
        Call(NORM, {**X, "normalized_shape": [5], "weight": {"weight": [5]}, "epsilon": 1e-3}),
        Call("paddle.tanh", {"x": {"result": 0}}),
    ),
    {"x0": Input((None, 4, 5))},
    (((3, 4, 5),), ((5, 4, 5),)),
    "also inner",
    "unpruned",
)


DAY = int(datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d"))


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Search]:
    """A search over the releases of these tests that leaves the matrix's own home alone."""
    by_id = {entry.id: entry for entry in entries()}
    environments = {one: ensure(by_id[one]) for one in releases()}
    monkeypatch.setenv("COMPATLOAD_MATRIX_HOME", str(tmp_path))
    with Search(DAY, environments, loads=3) as found:
        yield found


def test_a_name_tells_the_whole_model() -> None:
    assert Description.parse(HALF.name) == HALF
    assert HALF.function == NORM


def test_an_input_that_no_call_takes_goes() -> None:
    second = replace(HALF, inputs={**HALF.inputs, "x1": Input((2,))}, shapes=(((3, 4, 5), (2,)),))
    assert second.used().inputs == HALF.inputs
    assert second.used().shapes == (((3, 4, 5),),)


def test_numbers_are_written_in_every_form() -> None:
    call = Call("paddle.reshape", {**X, "shape": [3, 20]})
    one = replace(HALF, calls=(call,), inputs={"x0": Input((3, 20))}, shapes=(((3, 20),),))
    chance = random.Random(0)
    written = [formed(chance, one).calls[0].arguments["shape"] for _ in range(200)]
    assert {"shape": {"input": "x0"}} in written
    assert {"numbers": [3, 20]} in written
    assert [3, -1] in written
    mixed = [form for form in written if isinstance(form, list)]
    assert any({"size": [{"input": "x0"}, 1]} in form for form in mixed)
    assert any({"number": 3} in form for form in mixed)
    assert all(Description.parse(formed(chance, one).name).inputs == one.inputs for _ in range(9))


def test_what_has_no_numbers_stays() -> None:
    plain = replace(HALF, calls=(Call("paddle.tanh", X),))
    assert formed(random.Random(0), plain) is plain


def test_every_candidate_is_smaller_and_one_of_a_kind() -> None:
    smaller = [one.name for one in candidates(HALF)]
    assert len({*smaller}) == len(smaller)
    assert HALF.name not in smaller
    assert {Description.parse(one).dress for one in smaller} == {"alone", "also inner"}


@pytest.mark.parametrize(
    ("outcome", "home", "error", "expected"),
    [
        ("ok", None, None, RIGHT),
        ("wrong", "ok", None, WRONG),
        ("wrong", "wrong", None, AT_HOME),
        ("crash", "ok", "SIGSEGV", DEAD),
        ("error", "ok", "ValueError: x", UNDOCUMENTED),
        ("error", "ok", "ConversionError: x", REFUSED),
    ],
)
def test_whose_failure_it_is(
    outcome: str, home: str | None, error: str | None, expected: str
) -> None:
    load = Load("3.3.1", 0, "2.6.2", "jit")
    results = {load: Result(outcome, error=error)}
    if home:
        results[causes.at_home(load)] = Result(home)
    assert causes.cause(load, results) == expected


def test_a_failure_shrinks_to_its_cause(search: Search, tmp_path: Path) -> None:
    release = releases()[-1]
    place = tmp_path / "norm"

    def is_wrong(one: Description, caller: str = "paddle") -> bool:
        load = Load(release, 0, release, "predictor", caller)
        saved = search.saved(release, one, place)
        return (
            saved and search.alone(release, caller, search.request(load, place)).outcome == "wrong"
        )

    assert is_wrong(HALF)
    small = least(HALF, is_wrong)
    assert [call.function for call in small.calls] == [NORM]
    assert {*small.calls[0].arguments} == {"x", "normalized_shape", "weight"}
    assert (small.dress, small.way, len(small.shapes)) == ("alone", "layer", 1)
    assert not is_wrong(HALF, "compatload")


def test_what_no_seed_has_tried() -> None:
    report = {"operators": {"legacy": {"tried": {"bmm": {}}}, "pir": {"tried": {"pd_op.mv": {}}}}}
    left = untried([report])
    assert "bmm" not in left["legacy"]
    assert "viterbi_decode" in left["legacy"]
    assert "pd_op.mv" not in left["pir"]
    assert "pd_op.viterbi_decode" in left["pir"]


def test_an_operator_is_tried_by_its_form_in_place() -> None:
    assert why_not("pd_op.set_value", "pir", ["pd_op.set_value_"]) != NOT_MET
    assert why_not("pd_op.mv", "pir", ["pd_op.set_value_"]) == NOT_MET


@pytest.mark.parametrize("operator", ["viterbi_decode", "row_conv"])
def test_what_is_wanted_is_drawn(search: Search, operator: str) -> None:
    """The second has no eager form: a program tells what is right."""
    releases_of = [one for one in search.environments if one.startswith("2.")]
    if not releases_of:
        pytest.skip("only 2.x makes what is wanted here")
    search.wanted = {"legacy": [operator], "dresses": ["alone"]}
    made = search.make(releases_of[0], range(4))
    assert any(operator in one.operators for one in made)
    model = next(one for one in made if operator in one.operators)
    home = Load(model.saver, model.number, model.saver, "jit", "paddle")
    search.load([home])
    assert search.results[home].outcome == "ok"


def test_models_of_the_day(search: Search, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nmatrix.generate --seed {search.seed}")
    search.run(4, float("inf"), lambda: None, causes.ask_paddle)
    made = [model for model in search.models.values() if not model.refused]
    assert len(made) >= len(search.environments)
    loads = [load for load in search.results if load.caller == "compatload"]
    assert len(loads) >= len(made)
    failures = [one for one in causes.groups(search) if one.cause in FAILS]
    told = summary(search, failures, {}, {})
    assert told["models"] == len(made)
    assert f"## Seed {search.seed}" in page({str(search.seed): told})
    assert any(one.ways for one in coverage(search))
    with capsys.disabled():  # a seed that nobody saw before must not stop all work
        for one in failures:
            print(one.cause, one.said, search.models[one.load.saver, one.load.number].name)
    with Search(search.seed, search.environments, search.loads) as again:
        again.run(4, float("inf"), lambda: None, causes.ask_paddle)
        assert again.results == search.results
        assert not again._workers  # nothing was made or loaded twice
