"""CL4xx: what dynamic-to-static conversion does not carry over, release by release.

The outcomes are those of ``matrix/results/limitations.json`` (a test compares them): each of the
programs under ``matrix/limitations/cases`` was run on every measured release, converted and
called, and exported and loaded again. Rows 21 to 23 are not in Paddle's guide; they were found on
the way. What no release showed has no outcomes and is never reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from compatload.frozen import frozen

# outcome ("error", "wrong", "crash") → PEP 440 specifier over the measured releases
Outcomes = Mapping[str, str]


@frozen
class Measured:
    """What one program does. ``form`` is its class in the row's module under cases/.

    ``full_graph``: called after to_static(full_graph=True). ``traced``: called after to_static
    with full_graph=False, which is the default. ``exported``: jit.save and jit.load, where
    full_graph makes no difference unless ``exported_traced`` says so. ``refused``: a PEP 440
    specifier of the releases on which ``safe_save`` refuses it; elsewhere it saves it as written.
    """

    form: str
    full_graph: Outcomes = field(default_factory=dict)
    traced: Outcomes = field(default_factory=dict)
    exported: Outcomes = field(default_factory=dict)
    exported_traced: Outcomes | None = None
    refused: str = ""

    def is_saved(self, release: str) -> bool:
        """Whether ``safe_save`` saves it on a measured release, though Paddle does not."""
        return not (self.refused and SpecifierSet(self.refused).contains(Version(release)))


@frozen
class Limitation:
    """One row: what is written, what happens, what to write instead.

    ``measured`` maps a variant (for numpy: the function) to its outcomes; most have only ``""``.
    """

    id: str
    case: str
    title: str
    explanation: str
    fix: str
    measured: Mapping[str, Measured] = field(default_factory=dict)


def outcome(outcomes: Outcomes, release: str) -> str:
    """``"ok"``, ``"error"``, ``"wrong"`` or ``"crash"`` for a measured release."""
    version = Version(release)
    for name, specifier in outcomes.items():
        if SpecifierSet(specifier).contains(version):
            return name
    return "ok"


def _plain(
    form: str = "Said", *, when: Outcomes, exported: Outcomes | None = None, refused: str = ""
) -> Measured:
    """The usual case: a full graph fails alike called and exported; the tracer copes."""
    exported = when if exported is None else exported
    return Measured(form, full_graph=when, exported=exported, refused=refused)


_ALWAYS = ">=2.6"
_PIR = ">=3.0"
_LEGACY = "<3.0"
_WITHOUT_DEFAULTS = ">=3.0,<3.2"

# However it is used.
_ERROR_EVERYWHERE = Measured(
    full_graph={"error": _ALWAYS},
    traced={"error": _ALWAYS},
    exported={"error": _ALWAYS},
    form="Said",
)

LIMITATIONS = (
    Limitation(
        id="CL401",
        case="row01_branch_types",
        title="branches on a Tensor give one name, or the result, different types",
        explanation="Both branches become part of the program, and a name has one type there.",
        fix="Use another name for the other type, and give the first a Tensor in both branches.",
        measured={
            "": _plain(refused=_ALWAYS, when={"error": _PIR}, exported={"error": _ALWAYS}),
            "types": _plain("SaidTypes", refused=_ALWAYS, when={"error": _ALWAYS}),
            "text": _plain("SaidText", when={"error": _ALWAYS}),
            "returns": _plain("SaidReturns", refused=_ALWAYS, when={"error": _ALWAYS}),
            "number": _plain("SaidNumber", refused=_LEGACY, when={"error": _LEGACY}),
        },
    ),
    Limitation(
        id="CL402",
        case="row02_branch_shapes",
        title="branches on a Tensor give one name Tensors with different numbers of dimensions",
        explanation=(
            "From 3.0 on both branches must have the same number of dimensions. Different sizes "
            "of the same number of dimensions work on every measured release."
        ),
        fix="Give the name the same number of dimensions in both branches.",
        measured={"": _plain("SaidRank", refused=_PIR, when={"error": _PIR})},
    ),
    Limitation(
        id="CL403",
        case="row03_bool_condition",
        title="a loop condition starts as a bool and becomes a Tensor",
        explanation="Conversion fails: python while pred change from bool to variable.",
        fix="Start it as paddle.to_tensor(True), or loop over x.shape[0] for a fixed count.",
        measured={
            "": _plain(when={"error": _ALWAYS}),
            "while True": _plain("SaidForever", when={"error": _ALWAYS}),
        },
    ),
    Limitation(
        id="CL404",
        case="row04_none_before_loop",
        title="None before a loop on a Tensor, a Tensor after it",
        explanation=(
            "The comparison with None is decided once, while the loop is converted: the first "
            "turn's branch is taken in every turn or in none."
        ),
        fix="Write the first turn before the loop, starting from paddle.assign(x).",
        measured={
            "": _plain(when={"wrong": _ALWAYS}, exported={"wrong": _LEGACY, "error": _PIR}),
        },
    ),
    Limitation(
        id="CL405",
        case="row05_growing_shape",
        title="the shape of a loop variable changes, and is read as x.shape",
        explanation="Up to 2.6 x.shape is what the first turn gave, whatever the number of turns.",
        fix="Start with x = paddle.reshape(x, paddle.shape(x)) and read paddle.shape(x).",
        measured={"": _plain(refused=_LEGACY, when={"wrong": _LEGACY})},
    ),
    Limitation(
        id="CL406",
        case="row06_nested_list_append",
        title="a list appended to a list in a loop on a Tensor",
        explanation="Conversion fails: a list that grows in a loop may hold Tensors only.",
        fix="Append Tensors to one flat list a column.",
        measured={"": _plain("SaidRows", refused=_ALWAYS, when={"error": _ALWAYS})},
    ),
    Limitation(
        id="CL407",
        case="row07_del_item",
        title="an item taken out of a list in a loop on a Tensor",
        explanation=(
            "del items[i] does not convert. items.pop(i), which the guide recommends, converts, "
            "but from 3.0 on it cannot be exported."
        ),
        fix="Stack the items, count the first one up in the loop, and take items[first].",
        measured={
            "del": _plain(refused=_ALWAYS, when={"error": _ALWAYS}),
            "pop": Measured("SaidPop", refused=_PIR, exported={"error": _PIR}),
        },
    ),
    Limitation(
        id="CL408",
        case="row08_slice_assignment",
        title="an item of a list assigned to another of its places in a loop on a Tensor",
        explanation=(
            "From 3.0 on the process dies (SIGSEGV) of items[1] = items[2], in a slice and for a "
            "single item alike; 2.6 converts both. Places that get new Tensors are right."
        ),
        fix="Assign a new Tensor, paddle.assign(items[2]), or give each item a name of its own.",
        measured={
            "slice": _plain(when={"crash": _PIR}),
            "item": _plain("SaidElements", when={"crash": _PIR}),
        },
    ),
    Limitation(
        id="CL409",
        case="row09_new_dict_key",
        title="a new key of a dict set in a loop on a Tensor",
        explanation="Conversion fails: the loop must give back what it was given.",
        fix="Set every key before the loop, for example to paddle.zeros_like(x).",
        measured={"": _plain(when={"error": _ALWAYS})},
    ),
    Limitation(
        id="CL410",
        case="row10_container_not_bound",
        title="a dict changed through a method in a loop on a Tensor",
        explanation=(
            "Only assignments to keys are seen as changes; d.update(…) leaves values of the "
            "loop's inside behind. Exporting it kills the process on 2.6."
        ),
        fix='Assign the keys: d["sum"] = …',
        measured={
            "": _plain(
                "SaidUpdate",
                when={"error": _ALWAYS},
                exported={"crash": _LEGACY, "error": _PIR},
            )
        },
    ),
    Limitation(
        id="CL411",
        case="row11_constant_in_dict",
        title="a constant in a dict that a loop on a Tensor changes",
        explanation="The whole dict becomes loop variables: `is True` on the constant fails.",
        fix="Keep constants in a dict of their own.",
        measured={"": _plain(refused=_ALWAYS, when={"wrong": _ALWAYS})},
    ),
    Limitation(
        id="CL412",
        case="row12_numpy_call",
        title="a numpy function on a Tensor",
        explanation=(
            "A program holds no numpy. Some functions reach Paddle's method of the same name by "
            "chance; the others fail, or run once, on nothing, while the program is made."
        ),
        fix="Call the function of the same name in paddle.",
        measured={
            "sum": _plain("Said", when={"error": "<3.3"}),
            "max": _plain("SaidMax", when={"error": _ALWAYS}),
            "mean": _plain("SaidMean", when={"error": "<3.2"}),
            "argmax": _plain("SaidArgmax", when={"wrong": "<3.3"}),
            "sort": _plain("SaidSort", when={"error": _ALWAYS}),
            "where": _plain("SaidWhere", when={"wrong": _LEGACY, "error": _PIR}),
            "concatenate": _plain("SaidConcatenate", when={"error": _ALWAYS}),
            "clip": _plain("SaidClip", when={"wrong": _LEGACY, "error": ">=3.0,<3.2"}),
            "round": _plain("SaidRound", when={"error": "<3.3"}),
            "abs": _plain("SaidAbs", when={"error": _LEGACY}),
            "maximum": _plain("SaidMaximum", when={"wrong": _LEGACY, "error": _PIR}),
            "exp": Measured("SaidExp"),
            "array": _plain("SaidArray", when={"error": _ALWAYS}),
            "tolist": Measured(
                "SaidTolist",
                full_graph={"error": _ALWAYS},
                traced={"error": _LEGACY},
                exported={"error": _ALWAYS},
            ),
        },
    ),
    Limitation(
        id="CL413",
        case="row13_set_state_dict",
        title="set_state_dict inside a converted function",
        explanation="A program does not load weights: conversion fails.",
        fix="Call it in __init__, or before the conversion.",
        measured={"": _plain(refused=_ALWAYS, when={"error": _ALWAYS})},
    ),
    Limitation(
        id="CL414",
        case="row14_isinstance",
        title="isinstance on a number that a loop on a Tensor changes",
        explanation="The number becomes a Tensor, and the other branch is taken.",
        fix="Do not branch on the type of what the loop changes.",
        measured={"": _plain(refused=_ALWAYS, when={"wrong": _ALWAYS})},
    ),
    Limitation(
        id="CL415",
        case="row15_zero_argument_super",
        title="super() without arguments in a converted function",
        explanation="Up to 2.6: RuntimeError: super(): __class__ cell not found.",
        fix="Write super(Class, self).forward(…).",
        measured={"": _plain(when={"error": _LEGACY})},
    ),
    Limitation(
        id="CL416",
        case="row16_pylayer",
        title="PyLayer in a converted function",
        explanation="Said to be unsupported; forward and backward are right on every release.",
        fix="Nothing to do.",
    ),
    Limitation(
        id="CL417",
        case="row17_register_hook",
        title="register_hook in a converted function",
        explanation="From 3.0 on conversion fails; 2.6 carries the hook over.",
        fix=(
            "Change the gradient in the formula (h * 2 - h.detach() has the value of h and twice "
            "its gradient), or register the hook only while training in dynamic mode."
        ),
        measured={"": _plain(when={"error": _PIR})},
    ),
    Limitation(
        id="CL418",
        case="row18_code_object_key",
        title="a dict keyed by a code object",
        explanation=(
            "Reported for the symbolic tracer of a 3.0 pre-release (Paddle/issues/71450); every "
            "measured release converts, calls and exports it."
        ),
        fix="Nothing to do.",
    ),
    Limitation(
        id="CL419",
        case="row19_unknown_dimension",
        title="x.shape of an unknown dimension in a function that is not converted",
        explanation=(
            "Under not_to_static an unknown dimension is the number -1, and what is computed "
            "from it is negative: 'shape' in reshape must not be negative. In converted code "
            "x.shape is right."
        ),
        fix="Read paddle.shape(x)[0] there, or leave one dimension of reshape to -1.",
        measured={"": _plain("SaidNotConverted", when={"error": _ALWAYS})},
    ),
    Limitation(
        id="CL420",
        case="row20_main_program",
        title="main_program of a layer converted without full_graph=True",
        explanation="The default tracer makes no whole program: reading it raises RuntimeError.",
        fix="Convert with paddle.jit.to_static(…, full_graph=True).",
        measured={"": Measured("Said", exported_traced={"error": _ALWAYS})},
    ),
    Limitation(
        id="CL421",
        case="row21_input_plus_constant",
        title="an output that is an input plus a constant",
        explanation=(
            "From 3.0 on paddle.jit.save takes the last addition for a renaming and leaves it "
            "out: the saved model returns the input itself, without any error. safe_load puts it "
            "back where the file tells which output lost it (CL118)."
        ),
        fix="Add a Tensor: x + paddle.full([1], 1.0).",
        measured={
            variant: Measured(f"Said{form}", exported={"wrong": _PIR})
            for variant, form in (
                *(("", ""), ("a name for the number", "Named"), ("in place", "InPlace")),
                *(("an attribute", "Attribute"), ("scale", "Scale"), ("a function", "Function")),
            )
        },
    ),
    Limitation(
        id="CL422",
        case="row22_loop_variable_alias",
        title="a loop variable starts as another name that is read later",
        explanation=(
            "Up to 2.6 the loop writes its result into the Tensor that its variable started "
            "from, so the other name changes too, and two that start as one stay one. Of a, b = "
            "b, a % b it may take the new b for a, as PYTHONHASHSEED has it. safe_save copies them."
        ),
        fix="Start from a copy: total = paddle.assign(x).",
        measured={
            "": _plain(when={"wrong": _LEGACY}),
            "exchange": _plain("SaidSwap", when={"wrong": _LEGACY}),
        },
    ),
    Limitation(
        id="CL423",
        case="row23_keyword_only_default",
        title="a keyword-only parameter left to its default",
        explanation=(
            "3.0 and 3.1 build the converted function anew and forget the defaults of its "
            "keyword-only parameters: missing 1 required keyword-only argument. A function inside "
            "of the converted one keeps them."
        ),
        fix="Pass the argument, or make the parameter an ordinary one (leave out the *).",
        measured={
            variant: _plain(f"Said{variant.title()}", when={"error": _WITHOUT_DEFAULTS})
            for variant in ("", "method", "forward")
        },
    ),
    Limitation(
        id="CL424",
        case="row24_chained_comparison",
        title="a chained comparison of a Tensor",
        explanation="Of 0 < t < 10 the program of 2.6 keeps one half; from 3.0 on it is refused.",
        fix="Write both comparisons: t > 0 and t < 10.",
        measured={"": _plain(when={"wrong": _LEGACY, "error": _PIR})},
    ),
    Limitation(
        id="CL425",
        case="row25_none_in_branch",
        title="None that a branch on a Tensor replaces, asked for afterwards",
        explanation=(
            "The comparison with None is decided once, while converting. 2.6 then gives something "
            "of another shape, 3.x fails or leaves a branch out."
        ),
        fix="Start with the Tensor that stands for None.",
        measured={
            "": _plain(when={"wrong": _LEGACY, "error": _PIR}),
            "else": _plain("SaidElse", when={"wrong": _LEGACY, "error": _PIR}),
        },
    ),
    Limitation(
        id="CL426",
        case="row26_raise_in_branch",
        title="raise where a Tensor or a free dimension decides",
        explanation=(
            "Conversion runs both branches, so it raises, whatever the input. Shapes compared as "
            "lists fail from 3.0 on if a dimension is free."
        ),
        fix="Check before the layer is called, or write assert, which becomes an operator.",
        measured={
            "": _plain(when={"error": _ALWAYS}),
            "size": Measured("SaidSize", exported={"error": _ALWAYS}),
            "shape": Measured("SaidShape", exported={"error": _PIR}),
        },
    ),
    Limitation(
        id="CL427",
        case="row27_return_in_loop",
        title="return inside of a loop on a Tensor",
        explanation="From 3.0 on conversion fails: the loop's other turns return nothing.",
        fix="Write break, and return below the loop.",
        measured={
            "": _plain(when={"error": _PIR}),
            "numbers": _plain("SaidPython", when={"error": _ALWAYS}),
        },
    ),
    Limitation(
        id="CL428",
        case="row28_isinstance_tensor",
        title="isinstance of paddle.Tensor",
        explanation="Nothing is a paddle.Tensor while converting: the other branch is taken.",
        fix="Ask with paddle.is_tensor(x).",
        measured={"": _plain(when={"wrong": _ALWAYS})},
    ),
    Limitation(
        id="CL429",
        case="row29_number_of_size",
        title="a Python or numpy function of a free dimension",
        explanation=(
            "A free dimension is a Tensor while converting; these want a number. safe_save writes "
            "those of math as what a program has."
        ),
        fix="Use paddle.arange and the like, and ** 0.5 for a root.",
        measured={
            "": Measured("Said", exported={"error": _ALWAYS}),
            "math": Measured("SaidMath", exported={"error": _ALWAYS}),
        },
    ),
    Limitation(
        id="CL430",
        case="row30_variable_arguments",
        title="forward(*args)",
        explanation="An input_spec cannot be told apart: forward requires 0 arguments, it says.",
        fix="Name the parameters.",
        measured={"": _ERROR_EVERYWHERE},
    ),
    Limitation(
        id="CL431",
        case="row31_dataclass_output",
        title="an object of a dataclass as the output",
        explanation="Only Tensors in tuples, lists and dicts become outputs; others are left out.",
        fix="Return a tuple or a dict.",
        measured={
            "": Measured(
                full_graph={"error": _ALWAYS},
                traced={"error": _LEGACY},
                exported={"error": _ALWAYS},
                form="Said",
            )
        },
    ),
    Limitation(
        id="CL432",
        case="row32_recursion",
        title="a function that calls itself until a Tensor says stop",
        explanation="Conversion follows both branches, and so never ends.",
        fix="Write a while loop.",
        measured={"": _plain(refused=_ALWAYS, when={"timeout": _ALWAYS})},
    ),
    Limitation(
        id="CL433",
        case="row33_comprehension",
        title="a comprehension over a free dimension, or sum() of a list that a branch grows",
        explanation="Comprehensions and sum() are not converted: over a Tensor they do not end.",
        fix="Write a for loop with append, and paddle.stack or paddle.add_n.",
        measured={
            "": Measured("Said", exported={"timeout": _ALWAYS}),
            "range": Measured("SaidRange", exported={"timeout": _ALWAYS}),
            "sum": _plain("SaidSum", when={"timeout": _ALWAYS}),
        },
    ),
    Limitation(
        id="CL434",
        case="row34_attribute_in_branch",
        title="an attribute that a branch on a Tensor gives a Tensor",
        explanation="From 3.0 on conversion fails: the attribute takes parameters or None only.",
        fix="Use a local name in the branches, and set the attribute below them.",
        measured={"": _plain(when={"error": _PIR})},
    ),
    Limitation(
        id="CL435",
        case="row35_loop_else",
        title="for … else, where a Tensor counts",
        explanation="What stands under else is left out.",
        fix="Write it below the loop, without else.",
        measured={"": _plain(when={"wrong": _ALWAYS})},
    ),
    Limitation(
        id="CL436",
        case="row36_list_methods",
        title="insert or extend of a list in a loop on a Tensor",
        explanation="Only append is converted; of these the process dies.",
        fix="Append, one Tensor at a time.",
        measured={
            variant: _plain(
                form,
                when={"crash": _LEGACY, "error": _PIR},
                exported={"crash": _ALWAYS},
                refused=refused,
            )
            for variant, form, refused in (
                ("insert", "Said", _ALWAYS),
                ("extend", "SaidExtend", ""),
            )
        },
    ),
    Limitation(
        id="CL437",
        case="row37_zip",
        title="zip over Tensors with a free first dimension",
        explanation="Not support zip(tensor, ...) when tensor.shape[0] == -1, it says.",
        fix="Loop over range(x.shape[0]), and take x[i].",
        measured={"": Measured("Said", exported={"error": _ALWAYS})},
    ),
    Limitation(
        id="CL438",
        case="row38_change_in_place",
        title="a change in place whose result is not taken",
        explanation=(
            "While a program is made, y.exp_() and relu_(y) give a new value and leave y as it "
            "was: the change is lost, without an error. One of a part of y, or of what may be one, "
            "is refused, and fill_ and zero_ are not known. safe_save keeps what it can of them."
        ),
        fix="Take the result: y = y.exp_(), or y[:, 1:] = y[:, 1:].clip(0.0, 1.5).",
        measured={
            "": _plain(when={"wrong": _ALWAYS}),
            "function": _plain("SaidFunction", when={"wrong": _ALWAYS}),
            "part": Measured(
                "SaidPart",
                full_graph={"error": _ALWAYS},
                traced={"error": _PIR},
                exported={"error": _ALWAYS},
            ),
            "fill": Measured(
                "SaidTensorsOnly",
                full_graph={"error": _ALWAYS},
                traced={"error": _LEGACY},
                exported={"error": _ALWAYS},
            ),
        },
    ),
    Limitation(
        id="CL439",
        case="row39_fraction_of_size",
        title="a whole number made of a free dimension and a fraction",
        explanation=(
            "Python counts in double precision, the program in single: int(90 * 0.7) is 62, and 63 "
            "in the saved model, without an error. safe_save counts as Python does."
        ),
        fix="Count with whole numbers: x.shape[1] * 7 // 10.",
        measured={"": Measured("Said", exported={"wrong": _ALWAYS})},
    ),
    Limitation(
        id="CL440",
        case="row40_function_of_size",
        title="min, max, round, any or all of what a program does not know",
        explanation=(
            "They are Python's, and ask a Tensor or a free dimension whether it is true, or for a "
            "number: 2.6 says yes to it, and saves one of two numbers for good. safe_save writes "
            "them as what a program has."
        ),
        fix="Use paddle.minimum, paddle.maximum, paddle.logical_or and //.",
        measured={
            "": Measured("Said", exported={"wrong": _LEGACY, "error": _PIR}),
            "round": Measured("SaidRound", exported={"error": _ALWAYS}),
            "any": Measured(
                "SaidAny",
                full_graph={"wrong": _LEGACY, "error": _PIR},
                exported={"wrong": _LEGACY, "error": _PIR},
            ),
        },
    ),
    Limitation(
        id="CL441",
        case="row41_layer_by_another_name",
        title="forward whose first parameter is not called self",
        explanation=(
            "Paddle tells the layer from its inputs by that name, and asks for one specification "
            "more, for the last input. safe_save tells it by the method."
        ),
        fix="Call it self.",
        measured={"": _ERROR_EVERYWHERE},
    ),
)
