"""Operators that 3.x no longer has under any name, composed of those it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.sequence_steps import SequenceSteps
from compatload.programs.legacy_repairs.standard_operators import (
    elementwise,
    fill_constant,
    flatten,
    reduce_all,
    reshape,
    scale,
    slice_along,
    slice_first_axis,
    slice_to,
    squeeze,
    unsqueeze,
)

RULE = "CL116"

Repair = Callable[[LegacyProgram, Any, Any, str], "list[Any] | None"]


def _only(slots: Any, name: str) -> str | None:
    names = arguments(slots, name)
    return names[0] if len(names) == 1 else None


def _element(program: LegacyProgram, block: Any, name: str) -> int:
    """The type of its elements; a program that does not tell means float32."""
    known = program.data_type(block, name)
    return FLOAT32 if known is None else known


def _each(slots: Any, *names: str) -> list[str] | None:
    found = [_only(slots, name) for name in names]
    return None if None in found else [one for one in found if one is not None]


def _minus(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any]:
    set_attribute(operator, "axis", "INT", -1)
    program.record(RULE, "minus became elementwise_sub", position)
    operator.type = "elementwise_sub"
    return [operator]


def _zeros_like(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any]:
    set_attribute(operator, "value", "FLOAT", 0.0)
    set_attribute(operator, "dtype", "INT", -1)
    program.record(RULE, f"{operator.type} became fill_any_like", position)
    operator.type = "fill_any_like"
    return [operator]


def _whole_tensor_test(kind: str, reduction: str) -> Repair:
    """isnan, isinf and isfinite of 1.x answer for the tensor as a whole."""

    def apply(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
        source, result = _only(operator.inputs, "X"), _only(operator.outputs, "Out")
        if source is None or result is None:
            return None
        dims = program.shape(block, source) or ()
        each = program.add_tensor(block, f"{result}.each", BOOL, dims)
        whole = program.add_tensor(block, f"{result}.whole", BOOL, ())
        program.record(RULE, f"{operator.type} became {kind} and {reduction}", position)
        return [
            new_operator(kind, {"X": [source]}, {"Out": [each]}, {}),
            reduce_all(reduction, each, whole),
            reshape(whole, result, [1]),
        ]

    return apply


def _soft_relu(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """log(1 + exp(x)), with x kept between −threshold and threshold."""
    source, result = _only(operator.inputs, "X"), _only(operator.outputs, "Out")
    if source is None or result is None:
        return None
    limit = float(attribute(operator, "threshold", 40.0))
    data_type = _element(program, block, source)
    dims = program.shape(block, source) or ()
    clipped, power, raised = (
        program.add_tensor(block, f"{result}.{part}", data_type, dims)
        for part in ("clipped", "exp", "raised")
    )
    program.record(RULE, "soft_relu became clip, exp and log", position)
    return [
        new_operator(
            "clip",
            {"X": [source]},
            {"Out": [clipped]},
            {"min": ("FLOAT", -limit), "max": ("FLOAT", limit)},
        ),
        new_operator("exp", {"X": [clipped]}, {"Out": [power]}, {}),
        scale(power, raised, 1.0, 1.0),
        new_operator("log", {"X": [raised]}, {"Out": [result]}, {}),
    ]


def _pad2d(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """As a volume of depth 1. Paddings are [top, bottom, left, right] here, and [left, right, top,
    bottom, front, back] there."""
    source, result = _only(operator.inputs, "X"), _only(operator.outputs, "Out")
    if source is None or result is None:
        return None
    channels_last = attribute(operator, "data_format", "NCHW") == "NHWC"
    depth = 1 if channels_last else 2
    data_type = _element(program, block, source)
    mode = {"edge": "replicate"}.get(*[attribute(operator, "mode", "constant")] * 2)
    volume = program.add_tensor(block, f"{source}.volume", data_type, (-1,) * 5)
    padded = program.add_tensor(block, f"{result}.volume", data_type, (-1,) * 5)
    inputs = {"X": [volume]}
    before: list[Any] = []
    top, bottom, left, right = (*attribute(operator, "paddings", ()), 0, 0, 0, 0)[:4]
    paddings = _only(operator.inputs, "Paddings")
    if paddings is not None:
        inputs["Paddings"] = [_volume_paddings(program, block, paddings, before)]
    program.record(RULE, "pad2d became pad3d on a volume of depth 1", position)
    pad = new_operator(
        "pad3d",
        inputs,
        {"Out": [padded]},
        {
            "paddings": ("INTS", [left, right, top, bottom, 0, 0]),
            "mode": ("STRING", mode),
            "value": ("FLOAT", float(attribute(operator, "pad_value", 0.0))),
            "data_format": ("STRING", "NDHWC" if channels_last else "NCDHW"),
        },
    )
    return [
        *before,
        unsqueeze(source, volume, [depth]),
        pad,
        squeeze(padded, result, [depth]),
    ]


def _volume_paddings(program: LegacyProgram, block: Any, name: str, before: list[Any]) -> str:
    rows, columns, depth, result = (
        program.add_tensor(block, f"{name}.{part}", INT32, (size,))
        for part, size in (("rows", 2), ("columns", 2), ("depth", 2), ("volume", 6))
    )
    before += [
        slice_first_axis(name, rows, 0, 2),
        slice_first_axis(name, columns, 2, 4),
        fill_constant(depth, INT32, [2], 0),
        new_operator(
            "concat",
            {"X": [columns, rows, depth]},
            {"Out": [result]},
            {"axis": ("INT", 0)},
        ),
    ]
    return result


def _fc(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """What the fusion passes of 1.x and 2.x made of mul, add and relu."""
    source, weight = _only(operator.inputs, "Input"), _only(operator.inputs, "W")
    bias, result = _only(operator.inputs, "Bias"), _only(operator.outputs, "Out")
    activation = attribute(operator, "activation_type", "")
    if source is None or weight is None or result is None or activation not in ("", "relu"):
        return None
    if attribute(operator, "padding_weights", False):
        return None
    data_type = _element(program, block, result)
    dims = program.shape(block, result) or ()
    columns = int(attribute(operator, "in_num_col_dims", 1))
    steps: list[Any] = []
    current = result if bias is None and not activation else ""
    current = current or program.add_tensor(block, f"{result}.product", data_type, dims)
    steps.append(
        new_operator(
            "mul",
            {"X": [source], "Y": [weight]},
            {"Out": [current]},
            {"x_num_col_dims": ("INT", columns), "y_num_col_dims": ("INT", 1)},
        )
    )
    if bias is not None:
        own = program.shape(block, bias) or ()
        if len(own) == 2:
            flat = program.add_tensor(block, f"{bias}.flat", data_type, (-1,))
            steps.append(reshape(bias, flat, [-1]))
            bias = flat
        total = (
            program.add_tensor(block, f"{result}.sum", data_type, dims) if activation else result
        )
        steps.append(elementwise("elementwise_add", current, bias, total))
        current = total
    if activation:
        steps.append(new_operator("relu", {"X": [current]}, {"Out": [result]}, {}))
    program.record(RULE, "fc became mul and elementwise_add", position)
    return steps


def _cross_entropy(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """−log of the probability at the label, or −Σ label·log."""
    source, label = _only(operator.inputs, "X"), _only(operator.inputs, "Label")
    result = _only(operator.outputs, "Y")
    if source is None or label is None or result is None:
        return None
    dims = program.shape(block, source) or ()
    data_type = _element(program, block, source)
    narrow = (*dims[:-1], 1)
    if attribute(operator, "soft_label", False):
        logarithm, product, total = (
            program.add_tensor(block, f"{result}.{part}", data_type, size)
            for part, size in (("log", dims), ("product", dims), ("total", narrow))
        )
        program.record(RULE, f"{operator.type} became log and reduce_sum", position)
        return [
            new_operator("log", {"X": [source]}, {"Out": [logarithm]}, {}),
            elementwise("elementwise_mul", label, logarithm, product),
            new_operator(
                "reduce_sum",
                {"X": [product]},
                {"Out": [total]},
                {
                    "dim": ("INTS", [-1]),
                    "keep_dim": ("BOOLEAN", True),
                    "reduce_all": ("BOOLEAN", False),
                },
            ),
            scale(total, result, -1.0),
        ]
    picked, logarithm = (
        program.add_tensor(block, f"{result}.{part}", data_type, narrow)
        for part in ("picked", "log")
    )
    program.record(RULE, f"{operator.type} became take_along_axis and log", position)
    return [
        new_operator(
            "take_along_axis",
            {"Input": [source], "Index": [label]},
            {"Result": [picked]},
            {"Axis": ("INT", len(dims) - 1)},
        ),
        new_operator("log", {"X": [picked]}, {"Out": [logarithm]}, {}),
        scale(logarithm, result, -1.0),
    ]


def _data_norm(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """(x − mean) · scale of features by counted sums; 3.x has no translation of it to PIR."""
    read = _each(operator.inputs, "X", "BatchSize", "BatchSum", "BatchSquareSum")
    made = _each(operator.outputs, "Y", "Means", "Scales")
    if read is None or made is None or attribute(operator, "slot_dim", -1) > 0:
        return None  # slots that were never shown are another computation
    source, count, total, squares = read
    result, means, scales = made
    kind = _element(program, block, source)
    dims, features = (program.shape(block, one) or () for one in (source, means))
    shifted = bool(attribute(operator, "enable_scale_and_shift", False))
    own = _each(operator.inputs, "scale_w", "bias") if shifted else []
    if own is None:
        return None
    share = program.add_tensor(block, f"{result}.share", kind, features)
    centred, scaled, weighed = (
        program.add_tensor(block, f"{result}.{part}", kind, dims)
        for part in ("centred", "scaled", "weighed")
    )
    program.record(RULE, "data_norm became quotients and a product", position)
    steps = [
        elementwise("elementwise_div", total, count, means),
        elementwise("elementwise_div", count, squares, share),
        new_operator("sqrt", {"X": [share]}, {"Out": [scales]}, {}),
        elementwise("elementwise_sub", source, means, centred),
        elementwise("elementwise_mul", centred, scales, scaled if own else result),
    ]
    if own:
        weight, bias = own
        steps += [
            elementwise("elementwise_mul", scaled, weight, weighed),
            elementwise("elementwise_add", weighed, bias, result),
        ]
    return steps


def _multiclass_nms2(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """The second version tells by lengths what is found in which image, the third by numbers."""
    program.record(RULE, "multiclass_nms2 became multiclass_nms3", position)
    operator.type = "multiclass_nms3"
    steps = SequenceSteps(program, block, "nms.lengths")
    for slot, kept in _complete_nms(program, block, operator):
        found = steps.like(kept)
        set_arguments(operator.outputs, slot, [found])
        steps.with_lengths(found, steps.flat(_found_in_each(operator)), kept)
    return [operator, *steps.operators]


def _complete_nms(program: LegacyProgram, block: Any, operator: Any) -> list[tuple[str, str]]:
    """Adds the outputs that it lacks; slots and names of those that it had."""
    had = [(slot, arguments(operator.outputs, slot)) for slot in ("Out", "Index")]
    for slot, dims in (("Index", (-1, 1)), ("NmsRoisNum", (-1,))):
        if not arguments(operator.outputs, slot):
            name = program.add_tensor(block, f"nms.{slot}", INT32, dims)
            set_arguments(operator.outputs, slot, [name])
    return [(slot, names[0]) for slot, names in had if names]


def _found_in_each(operator: Any) -> str:
    return arguments(operator.outputs, "NmsRoisNum")[0]


def _multiclass_nms(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """1.x yields [[−1]] where nothing is found, the later versions no row. What is not translated
    to PIR has the first version in 3.x, too."""
    result = _only(operator.outputs, "Out")
    if result is None or not program.translated:
        return None
    data_type = _element(program, block, result)
    columns = (program.shape(block, result) or (-1, 6))[-1]
    if columns < 2:
        return None
    found = program.add_tensor(block, f"{result}.found", data_type, (-1, columns))
    whole = program.add_tensor(block, f"{result}.whole", data_type, (-1, columns))
    set_arguments(operator.outputs, "Out", [found])
    operator.type = "multiclass_nms3"
    _complete_nms(program, block, operator)
    program.record(RULE, "multiclass_nms became multiclass_nms3", position)
    steps = SequenceSteps(program, block, f"{result}.lengths")
    steps.with_lengths(whole, _lengths_if_empty(steps, _found_in_each(operator)), result)
    table = _minus_one_if_empty(program, block, found, whole, data_type, columns)
    return [operator, *table, *steps.operators]


def _lengths_if_empty(steps: SequenceSteps, found: str) -> str:
    """As many rows as are found in each image, and a single row where there is none at all."""
    lengths = steps.flat(found)
    any_found = steps.of_two(
        "elementwise_min", steps.of_all("reduce_sum", lengths), steps.number(1), 1
    )
    none = steps.of_two("elementwise_sub", steps.number(1), any_found, 1)
    images = steps.tensor(INT32, 1)
    steps.run("shape", {"Input": [lengths]}, {"Out": images})
    others = steps.of_two("elementwise_sub", steps.cast(images, INT64, (1,)), steps.number(1), 1)
    kept = steps.of_two("elementwise_mul", others, any_found, 1)
    count = steps.of_two("elementwise_add", kept, steps.number(1), 1)
    rows = steps.of_two("elementwise_add", lengths, none, -1)
    result = steps.tensor(INT64, -1)
    size = steps.cast(count, INT32, (1,))
    steps.operators.append(slice_to(rows, result, size))
    return result


def _minus_one_if_empty(
    program: LegacyProgram, block: Any, found: str, result: str, data_type: int, columns: int
) -> list[Any]:
    """[n, columns] as it is, but [[−1]] for n = 0: cut out of the values and a −1 behind them."""
    names = {
        part: program.add_tensor(block, f"{result}.{part}", kind, dims)
        for part, kind, dims in (
            ("flat", data_type, (-1,)),
            ("one", data_type, (1,)),
            ("both", data_type, (-1,)),
            ("kept", data_type, (-1,)),
            ("shape", INT32, (2,)),
            ("rows", INT32, (1,)),
            ("at_least_one", INT32, (1,)),
            ("limit", INT32, (1,)),
            ("any", INT32, (1,)),
            ("width", INT32, (1,)),
            ("size", INT32, (1,)),
            ("goal", INT32, (2,)),
        )
    }
    return [
        flatten(found, names["flat"], 0, 1),
        fill_constant(names["one"], data_type, [1], -1.0),
        new_operator(
            "concat",
            {"X": [names["flat"], names["one"]]},
            {"Out": [names["both"]]},
            {"axis": ("INT", 0)},
        ),
        new_operator("shape", {"Input": [found]}, {"Out": [names["shape"]]}, {}),
        slice_first_axis(names["shape"], names["rows"], 0, 1),
        fill_constant(names["limit"], INT32, [1], 1.0),
        elementwise("elementwise_max", names["rows"], names["limit"], names["at_least_one"]),
        elementwise("elementwise_min", names["rows"], names["limit"], names["any"]),
        # One column where there is no row, all of them otherwise.
        scale(names["any"], names["width"], float(columns - 1), 1.0),
        elementwise("elementwise_mul", names["at_least_one"], names["width"], names["size"]),
        slice_to(names["both"], names["kept"], names["size"]),
        new_operator(
            "concat",
            {"X": [names["at_least_one"], names["width"]]},
            {"Out": [names["goal"]]},
            {"axis": ("INT", 0)},
        ),
        new_operator(
            "reshape2",
            {"X": [names["kept"]], "Shape": [names["goal"]]},
            {"Out": [result]},
            {"shape": ("INTS", [-1, -1])},
        ),
    ]


def _embedding_pool(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """The sum of each sequence's rows of a table."""
    named = _each(operator.inputs, "W", "Ids")
    result = _only(operator.outputs, "Out")
    if named is None or result is None or attribute(operator, "combiner", "sum") != "sum":
        return None
    table, ids = named
    columns = (program.shape(block, table) or (-1, -1))[-1]
    if (program.shape(block, ids) or (-1, -1))[1:] != (1,):
        return None
    steps = SequenceSteps(program, block, f"{result}.rows")
    rows, dims = steps.tensor(steps.kind(table), -1, columns), (-1, columns)
    steps.run(
        "lookup_table_v2",
        {"W": [table], "Ids": [steps.flat(ids)]},
        {"Out": rows},
        padding_idx=("LONG", attribute(operator, "padding_idx", -1)),
    )
    whole = steps.tensor(steps.kind(table), *dims)
    steps.with_lengths(rows, steps.lengths(ids), whole)
    steps.summed(whole, dims, result)
    program.record(RULE, "fused_embedding_seq_pool became a sum of rows", position)
    return steps.operators


def _overlap(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """What two boxes share of what both cover; a box that is told by whole pixels has one more."""
    named, result = _each(operator.inputs, "X", "Y"), _only(operator.outputs, "Out")
    if named is None or result is None:
        return None
    kind, more = _element(program, block, named[0]), 1.0 - attribute(operator, "box_normalized", 1)
    steps = SequenceSteps(program, block, f"{result}.overlap")
    shapes = ((-1, 1), (1, -1))

    def sides(boxes: str, dims: tuple[int, int]) -> list[str]:
        cut = [steps.tensor(kind, -1, 1) for _ in range(4)]
        steps.operators += [
            slice_along(1, boxes, one, place, place + 1) for place, one in enumerate(cut)
        ]
        return [steps.then(reshape, one, list(dims), kind=kind, dims=dims) for one in cut]

    def of_two(name: str, one: str, other: str) -> str:
        return steps.of_two(name, one, other, -1, -1, kind=kind)

    def lengths(left: str, top: str, right: str, bottom: str) -> list[str]:
        plain = [of_two("elementwise_sub", *pair) for pair in ((right, left), (bottom, top))]
        return [steps.then(scale, one, 1.0, more, kind=kind, dims=(-1, -1)) for one in plain]

    def positive(length: str) -> str:
        result = steps.tensor(kind, -1, -1)
        steps.run("relu", {"X": [length]}, {"Out": result})
        return result

    first, second = (sides(boxes, dims) for boxes, dims in zip(named, shapes, strict=True))
    names = ("elementwise_max",) * 2 + ("elementwise_min",) * 2
    common = lengths(*map(of_two, names, first, second))
    shared = of_two("elementwise_mul", *map(positive, common))
    areas = [of_two("elementwise_mul", *lengths(*box)) for box in (first, second)]
    both = of_two("elementwise_add", *areas)
    covered = of_two("elementwise_sub", both, shared)
    steps.operators.append(elementwise("elementwise_div", shared, covered, result))
    program.record(RULE, "iou_similarity became areas and a quotient", position)
    return steps.operators


REPAIRS: dict[str, Repair] = {
    "cross_entropy": _cross_entropy,
    "cross_entropy2": _cross_entropy,
    "data_norm": _data_norm,
    "fc": _fc,
    "fill_zeros_like": _zeros_like,
    "fill_zeros_like2": _zeros_like,
    "fused_embedding_seq_pool": _embedding_pool,
    "iou_similarity": _overlap,
    "isfinite": _whole_tensor_test("isfinite_v2", "reduce_all"),
    "isinf": _whole_tensor_test("isinf_v2", "reduce_any"),
    "isnan": _whole_tensor_test("isnan_v2", "reduce_any"),
    "minus": _minus,
    "multiclass_nms": _multiclass_nms,
    "multiclass_nms2": _multiclass_nms2,
    "pad2d": _pad2d,
    "soft_relu": _soft_relu,
}
