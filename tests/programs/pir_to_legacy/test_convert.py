from __future__ import annotations

import pytest
from fixtures.index import fixture

from compatload import inspect_artifact
from compatload.artifact.model import Parameter
from compatload.artifact.pir_json import parse
from compatload.errors import ConversionError
from compatload.programs.pir_to_legacy.convert import info_of, pir_to_legacy


def slots(operator, side):
    return {slot.parameter: list(slot.arguments) for slot in getattr(operator, side)}


def convert(recipe, decode, parameters=()):
    return decode(pir_to_legacy(recipe.program(), parameters).program)


def types(program, block=0):
    return [operator.type for operator in program.blocks[block].ops]


def test_an_input_goes_through_one_operator(recipe, kinds, decode):
    x = recipe.data("image")
    recipe.fetch(recipe.add("1.relu", [x], [kinds([-1, 4])]), "score")
    program = convert(recipe, decode)
    assert types(program) == ["feed", "relu", "fetch"]
    relu = program.blocks[0].ops[1]
    assert slots(relu, "inputs") == {"X": ["image"]}
    assert slots(relu, "outputs") == {"Out": ["score"]}
    assert program.version.version == 2006002


def test_the_last_input_is_fed_first_and_keeps_its_column(recipe, kinds, decode, attributes):
    x, y = recipe.data("a"), recipe.data("b")
    recipe.fetch(recipe.add("1.add", [x, y], [kinds([-1, 4])]))
    feeds = convert(recipe, decode).blocks[0].ops[:2]
    assert [slots(f, "outputs")["Out"][0] for f in feeds] == ["b", "a"]
    assert [attributes(f)["col"] for f in feeds] == [1, 0]


def test_outputs_keep_their_columns_and_an_input_may_be_one(recipe, kinds, decode, attributes):
    x = recipe.data("x")
    y = recipe.add("1.relu", [x], [kinds([-1, 4])])
    recipe.fetch(y, "second", 1)
    recipe.fetch(x, "first", 0)
    program = convert(recipe, decode)
    fetches = [op for op in program.blocks[0].ops if op.type == "fetch"]
    assert [slots(f, "inputs")["X"][0] for f in fetches] == ["first", "second"]
    assert [attributes(f)["col"] for f in fetches] == [0, 1]
    assert "assign" in types(program)


def test_one_value_fetched_twice_has_two_names(recipe, kinds, decode):
    y = recipe.add("1.relu", [recipe.data("x")], [kinds([-1, 4])])
    recipe.fetch(y, "one", 0)
    recipe.fetch(y, "two", 1)
    fetches = [op for op in convert(recipe, decode).blocks[0].ops if op.type == "fetch"]
    assert [slots(f, "inputs")["X"][0] for f in fetches] == ["one", "two"]


def test_a_constant_operand_becomes_an_attribute_and_leaves_no_operator(
    recipe, kinds, decode, attributes
):
    x = recipe.data("x")
    recipe.fetch(recipe.add("1.reshape", [x, recipe.ints(2, -1)], [kinds([2, -1])]))
    program = convert(recipe, decode)
    assert types(program) == ["feed", "reshape2", "fetch"]
    assert attributes(program.blocks[0].ops[1])["shape"] == [2, -1]


def test_a_constant_that_is_read_as_a_tensor_stays(recipe, kinds, decode):
    x, two = recipe.data("x"), recipe.full(2.0)
    recipe.fetch(recipe.add("1.add", [x, two], [kinds([-1, 4])]))
    assert types(convert(recipe, decode)) == ["feed", "fill_constant", "elementwise_add", "fetch"]


def test_a_constant_that_is_overwritten_is_none(recipe, kinds, decode):
    x, factor = recipe.data("x"), recipe.full(2.0)
    recipe.add("1.increment_", [factor], [kinds([1])], {"value": 1.0})
    recipe.fetch(recipe.add("1.scale", [x, factor], [kinds([-1, 4])]))
    scale = next(o for o in convert(recipe, decode).blocks[0].ops if o.type == "scale")
    assert "ScaleTensor" in slots(scale, "inputs")


def test_a_computed_operand_goes_to_its_slot(recipe, kinds, decode):
    x, shape = recipe.data("x"), recipe.data("shape", [2], "i32")
    recipe.fetch(recipe.add("1.reshape", [x, shape], [kinds([-1, -1])]))
    reshape = next(o for o in convert(recipe, decode).blocks[0].ops if o.type == "reshape2")
    assert slots(reshape, "inputs")["Shape"] == ["shape"]


def test_a_partly_known_shape_names_what_is_known(recipe, kinds, decode, attributes):
    x, size = recipe.data("x"), recipe.data("size", [], "i64")
    three = recipe.full(3.0, "i64", [])
    listed = {"#": "0.t_vec", "D": [kinds([], "i64"), kinds([], "i64")]}
    joined = recipe.add("0.combine", [size, three], [listed])
    stacked = recipe.add("1.stack", [joined], [kinds([2], "i64")], {"axis": 0})
    recipe.fetch(recipe.add("1.reshape", [x, stacked], [kinds([-1, 3])]))
    reshape = next(o for o in convert(recipe, decode).blocks[0].ops if o.type == "reshape2")
    assert attributes(reshape)["shape"] == [-1, 3]
    assert len(slots(reshape, "inputs")["ShapeTensor"]) == 2


def test_a_reversing_slice_ends_where_2_6_ends_it(recipe, kinds, decode, attributes):
    x = recipe.data("x")
    bounds = [recipe.ints(2**31 - 1), recipe.ints(-(2**31)), recipe.ints(-1)]
    recipe.fetch(recipe.add("1.strided_slice", [x, *bounds], [kinds([-1, 4])], {"axes": [1]}))
    sliced = next(o for o in convert(recipe, decode).blocks[0].ops if o.type == "strided_slice")
    assert attributes(sliced)["ends"] == [-1]


def test_shapes_are_widened_to_what_pir_has(recipe, kinds, decode):
    recipe.fetch(recipe.add("1.shape64", [recipe.data("x")], [kinds([2], "i64")]))
    assert types(convert(recipe, decode)) == ["feed", "shape", "cast", "fetch"]


def test_running_statistics_are_updated_in_place(recipe, kinds, decode):
    x = recipe.data("x", [-1, 3, 4, 4])
    names = ("mean", "variance", "weight", "bias")
    stored = [recipe.parameter(name, [3]) for name in names]
    results = [kinds([-1, 3, 4, 4]), *([kinds([3])] * 4), kinds([-1], "ui8")]
    known = {"is_test": True, "momentum": 0.9, "epsilon": 1e-5, "data_format": "NCHW"}
    known.update(use_global_stats=True, trainable_statistics=False)
    recipe.fetch(recipe.add("1.batch_norm_", [x, *stored], results, known)[0])
    program = convert(recipe, decode, [Parameter(name, "float32", (3,)) for name in names])
    outputs = slots(program.blocks[0].ops[1], "outputs")
    assert (outputs["MeanOut"], outputs["VarianceOut"]) == (["mean"], ["variance"])


def test_parameters_come_in_the_order_of_their_names(recipe, kinds):
    x = recipe.data("x")
    b, a = recipe.parameter("b", [4]), recipe.parameter("a", [4])
    recipe.parameter("state", [1], stored=False)
    total = recipe.add("1.add", [x, b], [kinds([-1, 4])])
    recipe.fetch(recipe.add("1.add", [total, a], [kinds([-1, 4])]))
    given = [Parameter("a", "float32", (4,)), Parameter("b", "float32", (4,))]
    converted = pir_to_legacy(recipe.program(), given)
    assert converted.parameter_order == ("a", "b")
    assert set(converted.flags) == {"a", "b"}
    assert converted.info == info_of([converted, converted])


def test_every_obstacle_is_told_at_once(recipe, kinds):
    x = recipe.data("x")
    first = recipe.add("3.mine", [x], [kinds([-1, 4])])
    second = recipe.add("1.relu", [first], [kinds([-1, 4])], {"temper": 1})
    recipe.fetch(recipe.add("1.no_such", [second], [kinds([-1, 4])]))
    with pytest.raises(ConversionError) as caught:
        pir_to_legacy(recipe.program(), [])
    told = caught.value.obstacles
    assert len(told) == 3
    assert "custom_op.mine (block 0, operator 1)" in told[0]
    assert "temper" in told[1]
    assert "pd_op.no_such (block 0, operator 3)" in told[2]
    assert str(caught.value).splitlines()[-1].startswith("Run the model")


def test_what_code_does_not_know_is_an_obstacle(recipe, kinds):
    x = recipe.data("x")
    recipe.fetch(recipe.add("1.cast", [x], [kinds([-1, 4])], {"rounding": "up"}))
    with pytest.raises(ConversionError, match="rounding"):
        pir_to_legacy(recipe.program(), [])


@pytest.mark.parametrize(
    "given", [[], [Parameter("w", "float32", (4,))] * 1 + [Parameter("v", "float32", (4,))]]
)
def test_weights_must_be_those_of_the_program(recipe, kinds, given):
    x, w = recipe.data("x"), recipe.parameter("w", [4])
    recipe.fetch(recipe.add("1.add", [x, w], [kinds([-1, 4])]))
    with pytest.raises(ConversionError, match="weights"):
        pir_to_legacy(recipe.program(), given)


def test_names_of_temporaries_never_clash(recipe, kinds, decode):
    x = recipe.data("relu_0.tmp_0")
    y = recipe.add("1.relu", [x], [kinds([-1, 4])])
    recipe.fetch(recipe.add("1.relu", [y], [kinds([-1, 4])]))
    first = next(o for o in convert(recipe, decode).blocks[0].ops if o.type == "relu")
    assert slots(first, "outputs")["Out"] != ["relu_0.tmp_0"]


def test_the_bias_of_a_convolution_is_added_along_its_channels(decode, attributes):
    """As 2.6 saves it: its passes fuse that form only."""
    artifact = inspect_artifact(fixture("3.3.1/detector").path)
    program = decode(pir_to_legacy(parse(artifact.program_bytes), artifact.parameters).program)
    operators = program.blocks[0].ops
    convolutions = {slots(o, "outputs")["Output"][0] for o in operators if o.type == "conv2d"}
    biases = [o for o in operators if o.type == "elementwise_add"]
    assert len(convolutions) == len(biases) == 4
    for bias in biases:
        assert slots(bias, "inputs")["X"][0] in convolutions
        assert slots(bias, "inputs")["Y"][0].endswith(".b_0")
        assert attributes(bias)["axis"] == 1
    assert "reshape2" not in types(program)


@pytest.mark.parametrize("shape", [[8, 1, 1, 1], [1, 1, 1, 8]])
def test_what_is_no_bias_is_added_as_it_was(shape, recipe, kinds, decode, attributes):
    x = recipe.data("x", [-1, 8, 8, 8])
    other = recipe.parameter("b", [8])
    sizes = recipe.ints(*shape)
    moved = recipe.add("1.reshape", [other, sizes], [kinds(shape)])
    total = recipe.add("1.add", [x, moved], [kinds([-1, 8, 8, 8])])
    recipe.fetch(total)
    program = convert(recipe, decode, [Parameter("b", "float32", (8,))])
    (add,) = (o for o in program.blocks[0].ops if o.type == "elementwise_add")
    assert attributes(add)["axis"] == -1
    assert types(program).count("reshape2") == 1


@pytest.mark.parametrize(
    ("number", "holder", "then"), [(0.5, "fp32_values", ["cast"]), (0.1, "fp64_values", [])]
)
def test_a_float64_that_float32_has_is_cast(
    recipe, kinds, decode, attributes, number, holder, then
):
    """Paddle 3.x, which a predictor may give the legacy program, finds no ``fp64_values``."""
    told = {
        "shape": {"#": "0.a_array", "D": [{"#": "0.a_i32", "D": 1}]},
        "dtype": {"#": "1.a_dtype", "D": "float64"},
        "values": {"#": "0.a_array", "D": [{"#": "0.a_f64", "D": number}]},
    }
    x = recipe.add("1.full", (), [kinds([1], "f64")], {"value": {"#": "0.a_f64", "D": 0.0}})
    recipe.fetch(recipe.add("1.assign_value_", [x], [kinds([1], "f64")], told))
    operators = convert(recipe, decode).blocks[0].ops
    (place,) = (place for place, one in enumerate(operators) if one.type == "assign_value")
    assert attributes(operators[place])[holder] == [number]
    assert [one.type for one in operators[place + 1 :]] == [*then, "fetch"]


def test_a_slice_that_ends_from_the_back_has_its_first_element_twice(
    recipe, kinds, decode, attributes
):
    x = recipe.data("x", [-1, 4])
    bounds = [recipe.ints(2), recipe.ints(-5), recipe.ints(-1)]
    axes = {"axes": [0]}
    recipe.fetch(recipe.add("1.strided_slice", [x, *bounds], [kinds([-1, 4])], axes))
    program = convert(recipe, decode)
    assert types(program)[1:4] == ["slice", "concat", "strided_slice"]
    cut = attributes(program.blocks[0].ops[3])
    assert (cut["starts"], cut["ends"], cut["strides"]) == ([3], [-5], [-1])


def test_what_says_nothing_about_the_result_is_no_obstacle(recipe, kinds, decode):
    x, label = recipe.data("x"), recipe.data("label")
    told = {"struct_name": "/BCEWithLogitsLoss/", "normalize": False, "ignore_index": -100}
    name = "1.sigmoid_cross_entropy_with_logits"
    result = recipe.add(name, [x, label, 0], [kinds([-1, 4])], told)
    recipe.fetch(result)
    assert "sigmoid_cross_entropy_with_logits" in types(convert(recipe, decode))


ARRAY = {"#": "1.t_dense_tensor_array", "D": [{"#": "0.t_f32"}, [], "NCHW"]}


def listed(recipe, kinds):
    """A list of one element, which was written to it."""
    made = recipe.add("1.create_array", [], [ARRAY], {"dtype": {"#": "1.a_dtype", "D": "float32"}})
    place = recipe.add("1.array_length", [made], [kinds([1], "i64")])
    return recipe.add("1.array_write_", [made, recipe.data("x"), place], [ARRAY])


def test_a_list_loses_its_last_element_and_stays_one_variable(recipe, kinds, decode):
    rest, last = recipe.add(
        "1.array_pop", [listed(recipe, kinds)], [ARRAY, kinds([-1, 4])], {"index": -1}
    )
    recipe.fetch(last, "last", 0)
    recipe.fetch(recipe.add("1.array_length", [rest], [kinds([1], "i64")]), "length", 1)
    program = convert(recipe, decode)
    operators = {o.type: o for o in program.blocks[0].ops}
    length = [o for o in program.blocks[0].ops if o.type == "lod_array_length"][-1]
    assert slots(operators["assign"], "outputs")["Out"] == slots(length, "inputs")["X"]


def test_a_list_loses_no_other_element(recipe, kinds, decode):
    _, first = recipe.add(
        "1.array_pop", [listed(recipe, kinds)], [ARRAY, kinds([-1, 4])], {"index": 0}
    )
    recipe.fetch(first)
    with pytest.raises(ConversionError, match="another element than its last"):
        convert(recipe, decode)


def test_a_list_is_joined_along_an_axis_that_counts_from_the_start(
    recipe, kinds, decode, attributes
):
    results = [kinds([-1, 4]), kinds([-1], "i32")]
    along = {"axis": -1, "use_stack": False}
    whole, _ = recipe.add("1.array_to_tensor", [listed(recipe, kinds)], results, along)
    recipe.fetch(whole)
    operators = convert(recipe, decode).blocks[0].ops
    (joined,) = (one for one in operators if one.type == "tensor_array_to_tensor")
    assert attributes(joined)["axis"] == 1


def test_what_is_called_as_2_6_calls_its_own_has_another_name(recipe, kinds, decode):
    given, other = recipe.data("feed"), recipe.data("fetch")
    recipe.fetch(recipe.add("1.add", [given, other], [kinds([-1, 4])]))
    _, feed, added, _ = convert(recipe, decode).blocks[0].ops
    assert slots(feed, "inputs") == {"X": ["feed"]}
    assert slots(feed, "outputs") == {"Out": ["feed.own"]}
    assert slots(added, "inputs") == {"X": ["feed.own"], "Y": ["fetch.own"]}


@pytest.mark.parametrize("masked", [True, False])
def test_a_deformed_convolution_has_a_mask_or_is_the_first_version(masked, recipe, kinds, decode):
    sizes = {"offset": 18, "filter": 3, "mask": 9}
    x, offset, filters, mask = (
        recipe.data(one, (1, sizes.get(one, 3), 3, 3))
        for one in ("image", "offset", "filter", "mask")
    )
    ones = {"#": "0.a_array", "D": [{"#": "0.a_i32", "D": 1}] * 2}
    told = dict.fromkeys(("strides", "paddings", "dilations"), ones)
    counts = dict.fromkeys(("deformable_groups", "groups", "im2col_step"), 1)
    operands = [x, offset, filters, mask if masked else 0]
    recipe.fetch(
        recipe.add("1.deformable_conv", operands, [kinds([1, 3, 3, 3])], {**told, **counts})
    )
    (made,) = (one for one in convert(recipe, decode).blocks[0].ops if "deform" in one.type)
    assert made.type == ("deformable_conv" if masked else "deformable_conv_v1")
    assert ("Mask" in slots(made, "inputs")) == masked
