"""Repairs of legacy programs: which rule fires where, what it writes, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.program_proto import DATA_TYPES, message
from compatload.errors import DamagedArtifactError, UsageError
from compatload.planning import plan_load
from compatload.programs.legacy_repairs.program import arguments, attribute, new_operator
from compatload.programs.legacy_repairs.repair import repair
from compatload.runtime.detection import runtime_for

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "2.6.2"
FLOAT32, INT32, INT64 = 5, 2, 3
Attributes = Mapping[str, tuple[str, Any]]


def program(
    variables: Mapping[str, tuple[int, Sequence[int]]],
    *operators: Any,
    version: int = 2006002,
) -> bytes:
    desc = message("ProgramDesc")
    desc.version.version = version
    block = desc.blocks.add(idx=0, parent_idx=-1)
    for name, (data_type, dims) in variables.items():
        # Persistable: a value that is there from the start, as an input has.
        variable = block.vars.add(name=name, persistable=name.startswith("in"))
        variable.type.type = 7
        variable.type.dense_tensor.tensor.data_type = data_type
        variable.type.dense_tensor.tensor.dims.extend(dims)
    block.ops.extend(operators)
    return bytes(desc.SerializeToString())


def unary(kind: str, attributes: Attributes | None = None, slot: str = "X") -> Any:
    return new_operator(kind, {slot: ["in"]}, {"Out": ["out"]}, attributes or {})


def operators(data: bytes) -> list[Any]:
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    return list(desc.blocks[0].ops)


def types(data: bytes) -> list[str]:
    return [operator.type for operator in operators(data)]


SQUARE = {"in": (FLOAT32, (2, 6)), "out": (FLOAT32, (2, 6))}


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("noxshape", "CL110"),
        ("noxshape_classifier", "CL110"),
        ("v1_interpolation", "CL111"),
        ("v1_lookup", "CL111"),
        ("v1_matmul", "CL111"),
        ("v1_squeeze", "CL111"),
        ("round", "CL122"),
        ("negative_step", "CL113"),
        ("v1_pad2d", "CL116"),
    ],
)
def test_a_fixture_meets_its_rule_once(name: str, rule: str) -> None:
    data = (FIXTURES / name / "model.pdmodel").read_bytes()
    repaired = repair(data, "3.3.1")
    assert rule in {change.rule for change in repaired.changes}
    again = repair(repaired.data, "3.3.1")
    assert again.changes == ()
    assert again.data == repaired.data


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("*/model*.pdmodel")), ids=lambda p: p.parent.name
)
def test_every_fixture_is_sound_and_repaired_once(path: Path) -> None:
    repaired = repair(path.read_bytes(), "3.0.0")
    assert repair(repaired.data, "3.0.0").changes == ()


def test_what_needs_nothing_keeps_its_bytes() -> None:
    data = program(SQUARE, unary("relu"))
    assert repair(data, "3.3.1").data is data


def test_bounds_of_2x_are_written_as_python_reads_them() -> None:
    bounds = {
        "axes": ("INTS", [0, 1]),
        "starts": ("INTS", [2**31 - 1, 4]),
        "ends": ("INTS", [-1, -6]),
        "strides": ("INTS", [-1, -2]),
    }
    dims = {"in": (FLOAT32, (4, 5)), "out": (FLOAT32, (4, 2))}
    (slice_,) = operators(
        repair(program(dims, unary("strided_slice", bounds, "Input")), "3.3.1").data
    )
    assert attribute(slice_, "starts") == (2**31 - 1, 4)
    # 2.x: down to element 0, and not past it. Python: below every index, and 0.
    assert attribute(slice_, "ends") == (-(2**31) + 1, 0)


def test_bounds_saved_by_3x_are_left_alone() -> None:
    bounds = {
        "axes": ("INTS", [0]),
        "starts": ("INTS", [3]),
        "ends": ("INTS", [-1]),
        "strides": ("INTS", [-1]),
    }
    data = program(SQUARE, unary("strided_slice", bounds, "Input"), version=3003001)
    assert repair(data, "3.3.1").data is data


def test_an_even_factor_becomes_a_factor_for_each_dimension() -> None:
    dims = {"in": (FLOAT32, (1, 3, 4, 4)), "out": (FLOAT32, (1, 3, 8, 8))}
    data = repair(program(dims, unary("nearest_interp", {"scale": ("FLOAT", 2.0)})), "3.3.1").data
    (resize,) = operators(data)
    assert resize.type == "nearest_interp_v2"
    assert attribute(resize, "scale") == (2.0, 2.0)


def test_an_uneven_factor_becomes_a_size() -> None:
    dims = {"in": (FLOAT32, (1, 3, 4, 4)), "out": (FLOAT32, (1, 3, 5, 5))}
    data = repair(program(dims, unary("nearest_interp", {"scale": ("FLOAT", 1.3)})), "3.3.1").data
    assert types(data) == ["shape", "slice", "cast", "scale", "cast", "nearest_interp_v2"]
    resize = operators(data)[-1]
    assert attribute(resize, "scale") == ()
    assert len(arguments(resize.inputs, "OutSize")) == 1


def test_reduce_all_outranks_the_dimensions() -> None:
    everything = {"dim": ("INTS", [0]), "reduce_all": ("BOOLEAN", True)}
    (reduction,) = operators(repair(program(SQUARE, unary("reduce_sum", everything)), "3.3.1").data)
    assert attribute(reduction, "dim") == ()


def test_a_constant_that_no_float32_holds_stays_exact() -> None:
    fill = new_operator(
        "fill_constant",
        {},
        {"Out": ["out"]},
        {
            "dtype": ("INT", INT64),
            "value": ("FLOAT", 16777216.0),
            "str_value": ("STRING", "16777217"),
        },
    )
    data = repair(program({"out": (INT64, (2,))}, fill), "3.3.1").data
    assert types(data) == ["fill_constant", "assign_value", "elementwise_add"]
    assert attribute(operators(data)[1], "int64_values") == (16777217,)


def test_a_wrong_declaration_is_corrected_downstream() -> None:
    variables = {
        "in": (FLOAT32, (2, 6)),
        "out": (FLOAT32, (2, 3)),
        "index": (INT32, (2, 3)),
        "scaled": (INT32, (2, 3)),
    }
    top = new_operator("top_k_v2", {"X": ["in"]}, {"Out": ["out"], "Indices": ["index"]}, {})
    scaled = new_operator("scale", {"X": ["index"]}, {"Out": ["scaled"]}, {})
    repaired = repair(program(variables, top, scaled), "3.3.1")
    desc = message("ProgramDesc")
    desc.ParseFromString(repaired.data)
    found = {one.name: one.type.dense_tensor.tensor.data_type for one in desc.blocks[0].vars}
    assert found["index"] == found["scaled"] == INT64
    assert found["out"] == FLOAT32


@pytest.mark.parametrize(("target", "cast"), [("3.0.0", False), ("3.1.0", True)])
def test_a_rank_stays_a_32_bit_integer(target: str, cast: bool) -> None:
    data = program({"in": (FLOAT32, (4, 4)), "out": (INT32, ())}, unary("matrix_rank"))
    assert ("cast" in types(repair(data, target).data)) is cast


def test_a_predictor_keeps_its_quantised_operators() -> None:
    variables = {**SQUARE, "in_scale": (FLOAT32, (1,))}
    dequantise = new_operator(
        "dequantize_linear", {"X": ["in"], "Scale": ["in_scale"]}, {"Y": ["out"]}, {}
    )
    data = program(variables, dequantise)
    assert types(repair(data, "3.3.1").data) == ["elementwise_mul", "scale"]
    assert repair(data, "3.3.1", translated=False).data is data


@pytest.mark.parametrize("persistable", [False, True])
def test_a_measured_scale_goes_into_no_parameter(persistable: bool) -> None:
    variables = {**SQUARE, "scale": (FLOAT32, (1,))}
    kind = "fake_quantize_dequantize_abs_max"
    measuring = new_operator(kind, {"X": ["in"]}, {"Out": ["out"], "OutScale": ["scale"]}, {})
    desc = message("ProgramDesc")
    desc.ParseFromString(program(variables, measuring))
    next(one for one in desc.blocks[0].vars if one.name == "scale").persistable = persistable
    data = desc.SerializeToString()
    assert ("CL280" in {one.rule for one in repair(data, "3.3.1").changes}) is persistable
    assert repair(data, "3.3.1", translated=False).data is data
    assert repair(data, "2.6.2").data is data


def test_2_6_keeps_what_it_still_has() -> None:
    kept = program(SQUARE, unary("nearest_interp", {"scale": ("FLOAT", 2.0)}))
    assert repair(kept, "2.6.2").data is kept
    lost = program(SQUARE, unary("squeeze", {"axes": ("INTS", [0])}))
    assert types(repair(lost, "2.6.2").data) == ["squeeze2"]


def test_an_attribute_of_another_type_is_not_believed() -> None:
    fill = new_operator(
        "fill_constant",
        {},
        {"Out": ["out"]},
        {"dtype": ("INTS", [5]), "str_value": ("FLOATS", [1.0])},
    )
    data = program({"out": (FLOAT32, (2,))}, fill)
    assert repair(data, "3.3.1").data is data


def test_a_target_that_is_no_version_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="newest"):
        repair(b"", "newest")


def _other_index(desc: Any) -> None:
    desc.blocks[0].idx = 7


def _own_parent(desc: Any) -> None:
    desc.blocks[0].parent_idx = 0


def _stray_block(desc: Any) -> None:
    desc.blocks.add(idx=1, parent_idx=0)


def _unknown_name(desc: Any) -> None:
    desc.blocks[0].ops[0].inputs[0].arguments[0] = "nowhere"


def _no_value(desc: Any) -> None:
    desc.blocks[0].ops[0].inputs[0].arguments[0] = "out"


def _no_result(desc: Any) -> None:
    del desc.blocks[0].ops[0].outputs[:]


def _unknown_type(desc: Any) -> None:
    desc.blocks[0].vars[0].type.dense_tensor.tensor.data_type = 99


def _huge(desc: Any) -> None:
    desc.blocks[0].vars[0].type.dense_tensor.tensor.dims[0] = 2**60


def _missing_block(desc: Any) -> None:
    desc.blocks[0].ops[0].attrs.add(name="sub_block", type=8, block_idx=5)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (_other_index, "block 0 says that it is block 7"),
        (_own_parent, "block 0 has block 0 for its parent"),
        (_stray_block, "no operator owns block 1"),
        (_unknown_name, "'nowhere', which is not declared"),
        (_no_value, "reads 'out', which has no value yet"),
        (_no_result, "yields nothing"),
        (_unknown_type, "99 is no data type"),
        (_huge, "impossible size"),
        (_missing_block, "runs a block that is not there"),
    ],
)
def test_a_program_that_does_not_hang_together_is_refused(damage: Any, why: str) -> None:
    desc = message("ProgramDesc")
    desc.ParseFromString(program(SQUARE, unary("relu")))
    damage(desc)
    with pytest.raises(DamagedArtifactError, match=why):
        repair(desc.SerializeToString(), "3.3.1")


@pytest.mark.parametrize("data", [b"", b"\x0a", b"not a program"])
def test_what_is_no_program_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedArtifactError):
        repair(data, "3.3.1")


def test_a_rule_that_is_switched_off_repairs_nothing() -> None:
    (program,) = (FIXTURES / "negative_step").glob("*.pdmodel")
    data = program.read_bytes()
    assert "CL113" in {change.rule for change in repair(data, "3.3.1").changes}
    changes = repair(data, "3.3.1", without=("CL113",)).changes
    assert "CL113" not in {change.rule for change in changes}


def test_a_plan_says_which_repairs_are_left_out() -> None:
    artifact = inspect_artifact(FIXTURES / "negative_step")
    plan = plan_load(artifact, runtime_for("3.3.1"), "layer", disabled_rules=["CL113", "CL210"])
    assert plan.steps
    assert {step.unrepaired for step in plan.steps} == {("CL113",)}


def test_what_2_6_does_not_know_is_computed_by_what_it_has() -> None:
    dims = dict.fromkeys(("in", "in2", "out"), (FLOAT32, (2, 6)))
    loss = new_operator(
        "kldiv_loss",
        {"X": ["in"], "Target": ["in2"]},
        {"Loss": ["out"]},
        {"log_target": ("BOOLEAN", True), "reduction": ("STRING", "batchmean")},
    )
    data = program(dims, loss, version=3003001)
    assert types(repair(data, "2.6.2").data) == [
        *("exp", "elementwise_sub", "elementwise_mul", "reduce_sum", "reduce_mean")
    ]
    assert repair(data, "3.0.0").data is data
    plain = {"value": ("FLOAT", 0.0)}
    data = program(SQUARE, unary("thresholded_relu", plain), version=3003001)
    assert repair(data, "2.6.2").data is data


def test_what_3x_counts_from_the_end_is_counted_from_the_start_for_2_6() -> None:
    dims = {"in": (FLOAT32, (4, 6)), "in2": (INT64, (2,)), "in3": (FLOAT32, (2, 6))}
    slots = {"X": ["in"], "Ids": ["in2"], "Updates": ["in3"]}
    step = new_operator("scatter", slots, {"Out": ["in"]}, {"overwrite": ("BOOLEAN", True)})
    repaired = repair(program(dims, step, version=3003001), "2.6.2")
    *_, written, copied = operators(repaired.data)
    assert (written.type, copied.type) == ("scatter", "assign")
    assert arguments(written.inputs, "Ids") != ("in2",)
    # Its operand is read before it is written over.
    assert arguments(written.outputs, "Out") == arguments(copied.inputs, "X") != ("in",)
    assert arguments(copied.outputs, "Out") == ("in",)
    assert repair(repaired.data, "2.6.2").changes == ()
    saved_by_2_6 = program(dims, step)
    assert repair(saved_by_2_6, "2.6.2").data is saved_by_2_6


@pytest.mark.parametrize("bits", ["bitwise_left_shift", "bitwise_right_shift"])
def test_what_2_6_has_not_got_is_put_together_of_what_it_has(bits: str) -> None:
    dims = dict.fromkeys(("in", "in2", "out"), (INT64, (2, 6)))
    step = new_operator(bits, {"x": ["in"], "y": ["in2"]}, {"out": ["out"]}, {})
    data = program(dims, step, version=3003001)
    assert bits not in types(repair(data, "2.6.2").data)
    assert repair(data, "3.0.0").data is data


def test_complex_numbers_are_computed_by_their_parts() -> None:
    kind = next(number for number, (name, _) in DATA_TYPES.items() if name == "complex64")
    dims = dict.fromkeys(("in", "out"), (kind, (2, 6)))
    data = program(dims, unary("log"), version=3003001)
    told = types(repair(data, "2.6.2").data)
    assert {"abs", "angle", "complex"} <= set(told)


@pytest.mark.parametrize(
    ("version", "decimals", "count"), [(3000000, 0, 1), (3000000, 1, 4), (3001001, 0, 12)]
)
def test_a_round_of_3x_is_rounded_as_there(version: int, decimals: int, count: int) -> None:
    written = unary("round", {"decimals": ("INT", decimals)})
    repaired = repair(program(SQUARE, written, version=version), "2.6.2")
    assert len(types(repaired.data)) == count
    assert repair(repaired.data, "2.6.2").changes == ()


def test_whole_ends_of_a_histogram_become_integers() -> None:
    ends = {"min": ("FLOAT", -2.0), "max": ("FLOAT", 2.0), "bins": ("LONG", 4)}
    (one,) = operators(
        repair(program(SQUARE, unary("histogram", ends), version=3003001), "2.6.2").data
    )
    assert attribute(one, "min") == -2
    assert isinstance(attribute(one, "min"), int)


def test_what_3_1_has_mended_is_as_it_was_where_it_was_saved() -> None:
    dims = {"in": (FLOAT32, (3,)), "in2": (FLOAT32, (2, 3)), "out": (FLOAT32, (2, 3))}
    step = new_operator("elementwise_heaviside", {"X": ["in"], "Y": ["in2"]}, {"Out": ["out"]}, {})
    older, newer = program(dims, step), program(dims, step, version=3001001)
    (exchanged,) = operators(repair(older, "3.1.1").data)
    assert arguments(exchanged.inputs, "X") == ("in2",)
    assert types(repair(newer, "3.0.0").data) == ["unsqueeze2", "elementwise_heaviside"]
    assert repair(older, "3.0.0").data is older
    assert repair(newer, "3.3.1").data is newer
    for target in ("3.1.1", "3.0.0"):
        for data in (older, newer):
            repaired = repair(data, target).data
            assert repair(repaired, target).changes == ()


@pytest.mark.parametrize(("version", "target"), [(2006002, "3.3.1"), (3001001, "2.6.2")])
def test_digamma_of_zero_is_chosen(version: int, target: str) -> None:
    repaired = repair(program(SQUARE, unary("digamma"), version=version), target)
    assert types(repaired.data)[-2:] == ["digamma", "where"]
    assert repair(repaired.data, target).changes == ()


def test_what_lu_tells_of_one_matrix_keeps_its_place() -> None:
    dims = {
        "in": (FLOAT32, (3, 3)),
        "out": (FLOAT32, (3, 3)),
        "p": (INT32, (3,)),
        "i": (INT32, (1,)),
    }
    lu = new_operator("lu", {"X": ["in"]}, {"Out": ["out"], "Pivots": ["p"], "Infos": ["i"]}, {})
    repaired = repair(program(dims, lu), "3.3.1")
    assert types(repaired.data) == ["lu", "reshape2"]
    assert repair(repaired.data, "3.3.1").changes == ()
    assert types(repair(program(dims, lu), "2.6.2").data) == ["lu"]
