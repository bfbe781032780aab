"""safe_save of layers that are called, or written, in ways of their own, on real Paddle."""

from __future__ import annotations

from typing import Any

import pytest

from tests.exporting.test_safe_save import run
from tests.releases import releases

NAMES = (
    *("nested", "nested_samples", "by_name", "values", "none_value", "guarded", "choosing"),
    *("keeping", "partial", "methods", "function", "signed", "sized", "pruned", "refused"),
    *("nothing", "keyed", "logging", "with_sizes", "turned", "behind_failures", "decoding"),
    "exiting",
)
SAVED = set(NAMES) - {"choosing", "refused", "nothing"}


@pytest.fixture(params=releases())
def told(request: pytest.FixtureRequest) -> dict[str, Any]:
    return run(str(request.param), *NAMES)


def test_whatever_jit_save_takes_is_saved_and_compared(told: dict[str, Any]) -> None:
    for name in sorted(SAVED):
        assert told[name]["outcome"] == "saved", told[name]
        assert told[name]["difference"] < 1e-6, name
        assert told[name]["touched"] == [], name
        assert told[name]["read"], name
    assert set(told["nested"]["inputs"]) == {"boxes_0", "boxes_1", "image"}


def test_loops_whose_states_begin_as_nothing_take_their_first_turn(told: dict[str, Any]) -> None:
    assert any("whose first turn stands in front" in one for one in told["decoding"]["remedies"])


def test_unused_inputs_are_left_out_and_told(told: dict[str, Any]) -> None:
    assert told["by_name"]["inputs"] == told["pruned"]["inputs"] == ["x"]
    assert any("y, on which no output depends" in one for one in told["by_name"]["remedies"])
    assert not any("no output depends" in one for one in told["pruned"]["remedies"])


def test_guards_do_not_stand_in_the_way(told: dict[str, Any]) -> None:
    left_out = [one for one in told["guarded"]["remedies"] if "the guard at" in one]
    assert any("(if x.mean() > 1000:)" in one for one in left_out)
    assert all("tried on the samples" in one for one in left_out)
    # What is used later is no guard.
    assert told["choosing"]["outcome"] == "ExportError"
    assert told["choosing"]["rule"] in ("CL453", "CL455")  # 2.6 bakes one side in


def test_a_layer_keeps_no_part_of_a_program(told: dict[str, Any]) -> None:
    assert told["keeping"]["kept"]


def test_a_dict_keyed_by_a_code_object_is_saved_as_a_full_graph(told: dict[str, Any]) -> None:
    assert any("saved as a full graph" in one for one in told["keyed"]["remedies"])


def test_what_a_partial_calls_is_converted(told: dict[str, Any]) -> None:
    assert any("functools.partial" in one for one in told["partial"]["remedies"])


def test_branches_that_no_sample_took_are_told(told: dict[str, Any]) -> None:
    (signed,) = told["signed"]["untried"]
    assert signed.endswith("(if x.max() > 1e6:): no sample makes it true")
    (sized,) = told["sized"]["untried"]
    assert sized.endswith("(if x.shape[0] > 1000:): no sample makes it true")


def test_what_paddle_does_not_take_is_told(told: dict[str, Any]) -> None:
    assert "a partial is neither a Layer nor a function" in told["refused"]["text"]
    assert "no Tensor in what forward returns" in told["nothing"]["text"]


def test_nothing_is_kept_of_programs_that_were_never_finished(told: dict[str, Any]) -> None:
    assert told["behind_failures"]["noted"] == 0
