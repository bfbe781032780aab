"""safe_save on real Paddle: what it saves, what it refuses and why, and what it leaves alone."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compatload.faults.limitations import LIMITATIONS
from tests.releases import releases, run_in

HERE = Path(__file__).parent
MEASURED_CASES = HERE.parents[1] / "matrix" / "results" / "limitations.json"
MODELS = (
    *("training", "traced_before", "in_static_mode", "no_place", "overwrites", "heads"),
    *(
        "embedded",
        "noisy",
        "unused",
        "unused_beside_dict",
        "broken",
        "samples",
        "two_formats",
        "calls_python",
        "kept",
        "kept_as_declared",
        "declared_and_not_run",
        "state",
        "frequencies",
        "begun",
        "above",
        "seen",
        "cached",
        "counting",
        "python_numbers",
        "splitting",
        "viewed",
        "changed",
        "typed",
        "forms",
        "of_sizes",
        "looked_up",
        "assigning",
        "decoding",
        "aligned",
        "masked",
        "growing",
        "rows",
        "outside",
    ),
)
# All were measured (docs/limitations.md). Of those that are refused each remedy is tried first:
# a few are enough here.
REFUSED = ("CL407", "CL411", "CL436")
SAVED = ("CL403", "CL408", "CL412", "CL421", "CL427", "CL430", "CL431", "CL433", "CL437", "CL441")
ROWS = {
    f"{row.case}:{next(iter(row.measured.values())).form}": row.id
    for row in LIMITATIONS
    if row.id in (*REFUSED, *SAVED)
}


@cache
def measured(release: str) -> dict[str, str]:
    """What became of each case when it was measured."""
    cells = json.loads(MEASURED_CASES.read_text("utf-8"))["releases"][release]["cells"]
    return {f"{c['row']}:{c['form']}": c["outcome"] for c in cells if c["stage"] == "safe_save"}


@cache
def run(release: str, *names: str, pir: str | None = None) -> dict[str, Any]:
    flags = {} if pir is None else {"FLAGS_enable_pir_api": pir}
    said = run_in(
        *(release, HERE / "worker.py", *names), seconds=900, anew=bool(flags), environment=flags
    )
    results: dict[str, Any] = json.loads(said.splitlines()[-1])
    return results


def results(release: str) -> dict[str, Any]:
    return run(release, *MODELS, *ROWS)


def program(release: str) -> str:
    return "model.pdmodel" if release.startswith("2.") else "model.json"


@pytest.fixture(params=releases())
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    "name", ["training", "traced_before", "in_static_mode", "heads", "embedded"]
)
def test_models_are_saved_and_give_the_layers_numbers(release: str, name: str) -> None:
    told = results(release)[name]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-5
    assert told["read"]
    assert told["changed"] == []
    assert program(release) in told["files"]
    assert "model.compatload" in told["files"]


@pytest.mark.parametrize("name", [*(n for n in MODELS if n != "overwrites"), *ROWS])
def test_nothing_global_is_changed(release: str, name: str) -> None:
    assert results(release)[name]["touched"] == []


@pytest.mark.parametrize("name", ROWS)
def test_limitations_are_saved_or_end_in_an_error_that_names_the_line(
    release: str, name: str
) -> None:
    told = results(release)[name]
    if measured(release)[name] == "ok":
        assert told["outcome"] == "saved", told
        assert told["difference"] < 1e-5
    else:
        assert told["outcome"] == "ExportError"
        assert told["rule"] == ROWS[name]
        assert f"{name.partition(':')[0]}.py:" in told["text"]
        assert told["files"] == []


def test_what_is_written_in_another_form_is_told(release: str) -> None:
    told = results(release)["forms"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-5
    (forms,) = (one for one in told["remedies"] if "in a form that it knows" in one)
    assert "return of a loop (CL427)" in forms
    assert "parameters by name alone" not in forms  # which the model does not have
    assert any("(CL412)" in one for one in told["remedies"])


def test_what_sizes_decide_is_decided_where_the_program_runs(release: str) -> None:
    told = results(release)["of_sizes"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-5
    assert not any("CL460" in one for one in told["warnings"])


def test_sizes_for_which_the_model_is_another_are_named(release: str) -> None:
    told = results(release)["looked_up"]
    assert told["outcome"] == "saved", told
    (warning,) = (one for one in told["warnings"] if "CL460" in one)
    assert "of shapes [[5, 4]]" in warning


def test_a_loop_that_would_not_end_is_saved_so_that_it_does_or_refused(release: str) -> None:
    told = results(release)["assigning"]
    if release.startswith("2."):
        assert (told["outcome"], told["rule"]) == ("ExportError", "CL461")
    else:
        assert told["outcome"] == "saved", told
        assert told["difference"] < 1e-5


def test_of_a_layer_of_python_the_forward_is_saved(release: str) -> None:
    told = results(release)["calls_python"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6


def test_the_default_tracer_gives_no_program_and_safe_save_does_not_need_it(release: str) -> None:
    told = results(release)["traced_before"]
    assert "full_graph=False" in told["main_program"]
    assert told["outcome"] == "saved"


def test_eval_mode_is_told(release: str) -> None:
    assert any("eval mode" in remedy for remedy in results(release)["training"]["remedies"])


def test_random_layers_are_saved_without_comparing(release: str) -> None:
    told = results(release)["noisy"]
    assert told["outcome"] == "saved"
    assert told["difference"] is None


@pytest.mark.parametrize("name", ["kept", "kept_as_declared", "declared_and_not_run"])
def test_what_a_layer_keeps_of_what_it_computed_is_left_out(release: str, name: str) -> None:
    told = results(release)[name]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("computes anew (self.weights) (CL456)" in one for one in told["remedies"])


def test_a_state_is_no_kept_result(release: str) -> None:
    """It is read before it is computed, so the layer gives other numbers at each run; of a program
    of 3.x the first are right."""
    told = results(release)["state"]
    if not release.startswith("2."):
        assert any("(CL438)" in one for one in told["remedies"])
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("computes anew (self.weights) (CL456)" in one for one in told["remedies"])
    assert any("keeps a state" in one for one in told["warnings"])


@pytest.mark.parametrize("name", ["seen", "cached"])
def test_what_runs_change_in_a_layer_is_saved_as_it_was(release: str, name: str) -> None:
    told = results(release)[name]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert told["touched"] == []
    assert any("keeps a state" in one for one in told["warnings"])


def test_sizes_that_paddle_counts_wrongly_stay_unknown(release: str) -> None:
    told = results(release)["frequencies"]
    if release == "3.0.0":  # which has no rfft of an axis of unknown length
        assert told["outcome"] == "ExportError", told
        return
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("(CL457)" in one for one in told["remedies"]) is not release.startswith("2.")


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("counting", "(CL457)"),  # sizes that are not known are counted where the program runs
        ("masked", "(CL458)"),  # what wants numbers takes sizes
        ("outside", "(CL462)"),  # Tensors outside of the layer are buffers
    ],
)
def test_what_helped_is_told(release: str, name: str, rule: str) -> None:
    told = results(release)[name]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-5
    assert any(rule in one for one in told["remedies"])


def test_sizes_are_counted_as_python_counts(release: str) -> None:
    told = results(release)["python_numbers"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    remedies = " ".join(told["remedies"])
    assert "(CL429, CL440)" in remedies
    assert "(CL439)" in remedies


def test_parts_of_a_size_that_is_not_known(release: str) -> None:
    told = results(release)["splitting"]
    if release.startswith("2."):  # which has neither
        assert "has no attribute" in told["text"]
        return
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("(CL457)" in one for one in told["remedies"])


def test_functions_of_tensors_are_written_as_what_a_program_has(release: str) -> None:
    told = results(release)["viewed"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("(CL458)" in one for one in told["remedies"])


def test_changes_in_place_are_kept(release: str) -> None:
    told = results(release)["changed"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("(CL438)" in one for one in told["remedies"])


def test_results_are_of_the_type_that_they_are(release: str) -> None:
    told = results(release)["typed"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("(CL459)" in one for one in told["remedies"]) is not release.startswith("2.")


def test_states_of_loops_begin_as_values_of_their_own(release: str) -> None:
    told = results(release)["begun"]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-6
    assert any("(CL422)" in one for one in told["remedies"])


def test_outputs_keep_their_order(release: str) -> None:
    told = results(release)["above"]
    assert told["outcome"] == "saved", told
    assert any("(CL133)" in one for one in told["remedies"]) is release.startswith("2.")


def test_an_unused_input(release: str) -> None:
    told = results(release)["unused"]
    assert told["outcome"] == "saved", told
    assert any("CL452" in one for one in told["remedies"])


def test_an_unused_input_is_not_blamed_for_what_code_does(release: str) -> None:
    told = results(release)["unused_beside_dict"]
    assert (told["outcome"], told["rule"]) == ("ExportError", "CL411"), told
    assert told["files"] == []


def test_a_layer_that_fails_by_itself_says_so(release: str) -> None:
    told = results(release)["broken"]
    assert told["outcome"] == "ExportError"
    assert "the layer itself fails" in told["text"]
    assert "no such thing" in told["text"]


def test_inputs_must_be_said_somehow(release: str) -> None:
    assert results(release)["no_place"]["outcome"] == "UsageError"
    assert results(release)["samples"]["outcome"] == "saved"


def test_other_formats_are_converted_or_it_is_said_what_translates_them(release: str) -> None:
    told = results(release)["two_formats"]
    if release.startswith("2."):
        assert told["outcome"] == "ExportError"
        assert "interpreters=" in told["text"]
        assert told["files"] == []
    else:
        assert told["outcome"] == "saved", told
        assert {"model.json", "model.pdmodel", "model.compatload"} <= {*told["files"]}
        assert told["changed"] == []


def test_saving_again_replaces_and_another_format_is_not_left_with_foreign_weights(
    release: str,
) -> None:
    told = results(release)["overwrites"]
    assert told["differs"]
    assert "shares its weights file" in told["beside"]
    assert told["left"] == []


def test_legacy_export_on_3_x_needs_a_full_graph() -> None:
    told = run("3.3.1", "legacy_traced", pir="0")["legacy_traced"]
    assert "SOT is only supported when running in PIR mode" in told["traced"]
    assert told["outcome"] == "saved", told
    assert "model.pdmodel" in told["files"]


@pytest.mark.parametrize("name", ["decoding", "aligned"])
def test_samples_of_which_a_kernel_dies_are_tried_in_a_child(release: str, name: str) -> None:
    told = results(release)[name]
    assert told["outcome"] == "saved", told
    assert told["difference"] < 1e-5


@pytest.mark.parametrize("name", ["growing", "rows"])
def test_programs_that_end_the_process_end_a_child(release: str, name: str) -> None:
    told = results(release)[name]
    if told["outcome"] != "saved":
        assert (told["outcome"], told["rule"]) in {
            ("ExportError", "CL453"),
            ("ExportError", "CL454"),
        }
    else:
        assert told["difference"] < 1e-5
