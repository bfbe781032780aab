"""What an operator of a program must have. Pure; no Paddle, no files.

Paddle writes every attribute, operand and result of an operator, and its loaders take a file's word
for it: what is missing, of another type or of another length is dereferenced all the same. Each
requirement holds for every operator of the programs that real releases saved (``matrix.handed``
tells of how many), so a program that does not meet one was not written by Paddle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Optional

from compatload.artifact.model import (
    SEVERAL,
    Artifact,
    Block,
    Format,
    Operator,
    Program,
    TensorSpec,
)
from compatload.artifact.pir_values import ELEMENT_TYPES, NO_DENSE
from compatload.artifact.program_proto import GRADIENT, VARIABLE_KINDS, VARIABLE_NUMBERS
from compatload.operators.choices import unknown_word
from compatload.operators.extents import wrong_extent
from compatload.operators.gradients import missing_operand, wrong_gradient
from compatload.operators.indices import wrong_indices
from compatload.operators.operands import Operands, wrong_operand
from compatload.operators.registry import (
    LegacyAttribute,
    LegacyOperator,
    PirAttribute,
    PirOperand,
    PirOperator,
    PirResult,
    known_releases,
    legacy_descriptions,
    legacy_operators,
    pir_operators,
)
from compatload.operators.shapes import wrong_shape
from compatload.releases import PIR_VERSIONS

# An absent optional operand of a PIR operator, and an absent optional result.
_ABSENT = "%0"
_NUMBERS = frozenset(
    ("0.a_bool", "0.a_i32", "0.a_i64", "0.a_index", "0.a_f32", "0.a_f64", "1.a_scalar")
)
_NUMBERS |= {"0.a_c64", "0.a_c128"}
# Operators whose numbers every release writes as 32-bit floats, which is what passes read.
_FLOAT = "0.a_f32"
_WITH_FLOATS = frozenset(("pd_op.scale", "pd_op.scale_", "pd_op.pow", "pd_op.pow_"))
# A narrower kind is what older releases wrote, and newer ones read as well.
_LEGACY_ALIKE: Mapping[str, frozenset[str]] = {
    # 0.x wrote numbers, which Paddle still reads: ExtractAttribute<bool>.
    "BOOLEAN": frozenset(("BOOLEAN", "INT")),
    "LONG": frozenset(("INT", "LONG")),
    "LONGS": frozenset(("INTS", "LONGS")),
    "FLOAT64": frozenset(("FLOAT", "FLOAT64")),
    "FLOAT64S": frozenset(("FLOATS", "FLOAT64S")),
}
# Forms of a value: one dense tensor, or what its dtype says.
_DENSE, _ELEMENTS = "dense", frozenset(ELEMENT_TYPES.values())
_NO_DENSE = frozenset(NO_DENSE.values())
# What a tensor of sizes holds, or several of one size each.
_SIZES = frozenset(("int32", "int64", SEVERAL))
# What takes and gives values by number, from and to the caller.
_HOLDERS = {"feed": "feed_minibatch", "fetch": "fetch_list"}
# Kinds of variables that inference has no use for.
_OF_TRAINING = frozenset(
    number
    for number, kind in VARIABLE_KINDS.items()
    if kind in ("selected_rows", "sparse_coo", "sparse_csr", "reader")
)
# What reads such a variable, and nothing else.
_READING_ROWS = frozenset(("merge_selected_rows", "get_tensor_from_selected_rows"))
_OF_CALLER = frozenset(n for n, kind in VARIABLE_KINDS.items() if kind in _HOLDERS.values())
_DENSE_TENSOR = VARIABLE_NUMBERS["dense_tensor"]
# What a program assigns to a buffer by: ``self.last = x`` in a layer, in a branch as well.
_ASSIGNING = frozenset(("assign", "conditional_block", "while"))
# Where a quantiser keeps the scale that it measured, which no operator reads.
_QUANTISERS, _MEASURED = ("fake_", "moving_average_abs_max_scale"), "OutScale"
_COLUMNS = ("feed", "fetch", "pd_op.feed", "pd_op.fetch")
# Attributes that variables may tell instead (OpProto's support_tensor in some release).
BY_VARIABLE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("arg_max", "arg_min", "cumsum", "reverse"), frozenset(("axis",))),
    **dict.fromkeys(
        ("conv2d_transpose", "conv2d_transpose_bias", "depthwise_conv2d_transpose", "unpool"),
        frozenset(("output_size",)),
    ),
    **dict.fromkeys(("dropout", "dropout_nd"), frozenset(("dropout_prob",))),
    **dict.fromkeys(("fill_any", "fill_any_like"), frozenset(("value",))),
    **dict.fromkeys(
        (
            *("flash_attn_unpadded", "flash_attn_v3_varlen", "flash_attn_varlen_qkvpacked"),
            "memory_efficient_attention",
        ),
        frozenset(("max_seqlen_k", "max_seqlen_q")),
    ),
    **dict.fromkeys(
        (
            *("frobenius_norm", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod"),
            "reduce_sum",
        ),
        frozenset(("dim",)),
    ),
    **dict.fromkeys(("fused_adam", "merged_adam"), frozenset(("beta1", "beta2", "epsilon"))),
    "bincount": frozenset(("minlength",)),
    "eye": frozenset(("num_columns", "num_rows")),
    "lstsq": frozenset(("rcond",)),
    "multinomial": frozenset(("num_samples",)),
    "pad": frozenset(("pad_value",)),
    "pool2d": frozenset(("ksize",)),
    "squeeze2": frozenset(("axes",)),
    "tile": frozenset(("repeat_times",)),
    "uniform_random": frozenset(("max", "min")),
}
_VARIABLES = ("VAR", "VARS")
# Types of attributes → types of elements of the variables that may tell them.
_TOLD_BY = {
    **dict.fromkeys(("INT", "LONG", "INTS", "LONGS"), frozenset(("int32", "int64"))),
    **dict.fromkeys(
        ("FLOAT", "FLOATS", "FLOAT64", "SCALAR"),
        frozenset(("float32", "float64", "int32", "int64")),
    ),
}
# `full_like(x, x.shape[0])`: their number, which has a point, a whole one tells, too.
_RESHAPING = frozenset(("pd_op.reshape", "pd_op.reshape_", "reshape", "reshape2"))
_32_BITS, _LEAST = (1 << 32) - 1, 1 << 31
# Operators that passes make, whose kernels write all of their results.
_OF_PASSES = "fusion_"
# What a branch reads from outside; one that reads nothing there is sound.
_READING_NOTHING = frozenset((("conditional_block", "Input"), ("while", "X")))


def flaws(artifact: Artifact) -> Iterator[str]:
    """What operators of one program lack, each with its position and what is wrong with it."""
    program = artifact.program
    yield from _columns(program)
    yield from _of_training(program)
    yield from _endless(program)
    yield from _reshaped(program)
    yield from wrong_indices(program)
    first, others = _looks(artifact)
    for operator in program.representatives:
        wrong = _seen_by(first, operator) or _seen_by(others, _told(operator))
        if wrong:
            yield f"{operator.position}: {wrong}"


_Look = Callable[[Operator], Optional[str]]


def _seen_by(looks: Sequence[_Look], operator: Operator) -> str | None:
    return next(filter(None, (look(operator) for look in looks)), None)


def _told(operator: Operator) -> Operator:
    """The operator without the attributes that variables tell when it runs."""
    kinds = {} if "." in operator.name else operator.kinds
    if not any(kind in _VARIABLES for kind in kinds.values()):
        return operator
    written = {name: kind for name, kind in kinds.items() if kind not in _VARIABLES}
    return Operator(
        operator.name,
        operator.inputs,
        operator.outputs,
        {name: operator.attributes[name] for name in written},
        operator.block,
        operator.index,
        operator.sub_blocks,
        written,
    )


def _looks(artifact: Artifact) -> tuple[Sequence[_Look], Sequence[_Look]]:
    """What is looked for in each operator by itself: of all that it says, and of what it says
    without variables."""
    program = artifact.program
    variables, values = program.variables, Operands(program)
    first: Sequence[_Look]
    if artifact.format is Format.PIR:
        first = (
            partial(_pir_flaw_of_any, _writers(artifact.pir_version), variables),
            partial(wrong_shape, program=program),
        )
    else:
        release = artifact.saved_by.removeprefix("==") if artifact.saved_by else None
        of_any = partial(_legacy_flaw_of_any, release, variables)
        first = (of_any, partial(_untouchable, program.blocks[0]))
    return first, (
        partial(wrong_extent, variables=variables),
        partial(wrong_gradient, variables=variables),
        partial(wrong_operand, values=values),
        unknown_word,
    )


def _columns(program: Program) -> Iterator[str]:
    """Feeds and fetches stand in the first block, their columns are 0 … n-1, once each."""
    for kind in _COLUMNS:
        found = [operator for operator in program.operators if operator.name == kind]
        columns = sorted(_column(operator) for operator in found)
        if columns != list(range(len(found))):
            yield f"{found[0].position}: the columns of all {kind} are {columns[:8]}"
        yield from (f"{one.position}: it stands inside a block" for one in found if one.block)
    last = [operator for operator in program.operators if operator.block == 0][-1:]
    if any(one.name == "fetch" for one in program.operators) and last[0].name != "fetch":
        yield f"{last[0].position}: it stands behind the outputs"


def _of_training(program: Program) -> Iterator[str]:
    """Variables that inference has no use for, such as selected rows, which only gradients are."""
    for block in program.blocks.values():
        for name, kind in block.kinds.items():
            if kind in _OF_TRAINING:
                yield f"the variable {name!r} holds {VARIABLE_KINDS[kind]}"


def _untouchable(first: Block, operator: Operator) -> str | None:
    """What only feeds and fetches use, and parameters, which an operator may only bring up to
    date: statistics of a normalisation, which it reads as well. A buffer may be assigned to, and
    a quantiser keeps its scale.

    A feed takes from, and a fetch gives to, the list that the caller sees.
    """
    read = {name for names in operator.inputs.values() for name in names}
    written = {name for names in operator.outputs.values() for name in names}
    wanted = _HOLDERS.get(operator.name)
    if wanted:
        held = list(read if operator.name == "feed" else written)
        kinds = [VARIABLE_KINDS.get(first.kinds[one]) for one in held if one in first.persistable]
        return None if kinds == [wanted] else f"{held} is not the one {wanted}"
    for name in read | written:
        if first.kinds.get(name) in _OF_CALLER:
            return f"it uses {name!r}, which belongs to the caller"
    if operator.name in _ASSIGNING:
        return None
    if operator.name.startswith(_QUANTISERS):
        written.difference_update(operator.outputs.get(_MEASURED, ()))
    for name in (written & first.persistable) - read:
        if first.kinds.get(name) == _DENSE_TENSOR:
            return f"it overwrites the parameter {name!r}"
    return None


def _column(operator: Operator) -> int:
    column = operator.attributes.get("col")
    return column if type(column) is int else -1


def _endless(program: Program) -> Iterator[str]:
    """Loops whose condition nothing inside of them can change."""
    operators = program.operators
    last = {operator.block: operator for operator in operators}
    conditions: list[tuple[Operator, frozenset[str]]] = []
    for loop in operators:
        if loop.name == "while":
            conditions.append((loop, frozenset(loop.inputs.get("Condition", ()))))
        elif loop.name == "pd_op.while":
            ends = [last[block] for block in loop.sub_blocks if block in last]
            conditions.append((loop, frozenset(ends[-1].inputs.get("0", ()) if ends else ())))
    if not conditions:
        return
    changed = _blocks_that_change(operators, frozenset().union(*(names for _, names in conditions)))
    for loop, names in conditions:
        if not any(changed.get(name, set()).intersection(loop.sub_blocks) for name in names):
            yield f"{loop.position}: nothing inside of it changes its condition"


def _reshaped(program: Program) -> Iterator[str]:
    """Sizes that become the least of all integers once they have 32 bits: Paddle divides by -1."""
    sizes = {
        value: one.attributes.get("value")
        for one in program.operators
        if one.name == "pd_op.full_int_array"
        for value in one.outputs.get("0", ())
    }
    for operator in program.operators:
        if operator.name in _RESHAPING:
            told = operator.attributes.get("shape")
            for value in operator.inputs.get("1", ()):
                told = told or sizes.get(value)
            if isinstance(told, tuple) and any(
                type(size) is int and size & _32_BITS == _LEAST for size in told
            ):
                yield f"{operator.position}: its shape is {list(told)}"


def _blocks_that_change(
    operators: Sequence[Operator], names: frozenset[str]
) -> Mapping[str, set[int]]:
    """Name → the blocks in which, or inside of which, an operator yields it."""
    around = {owned: operator.block for operator in operators for owned in operator.sub_blocks}
    changed: dict[str, set[int]] = {}
    for operator in operators:
        in_place = operator.name.startswith("pd_op.") and operator.name.endswith("_")
        slots = (*operator.outputs.values(), *(operator.inputs.values() if in_place else ()))
        for held in slots:
            for name in names.intersection(held):
                block: int | None = operator.block
                while block is not None and block not in changed.setdefault(name, set()):
                    changed[name].add(block)
                    block = around.get(block)
    return changed


def _pir_flaw_of_any(
    tables: Sequence[Mapping[str, PirOperator]],
    variables: Mapping[str, TensorSpec],
    operator: Operator,
) -> str | None:
    if operator.name == "builtin.parameter":
        return None  # the decoder knows all of it
    known = [table[operator.name] for table in tables if operator.name in table]
    return _first_alternative(known, operator, partial(_pir_flaw, variables))


def _writers(pir_version: int | None) -> Sequence[Mapping[str, PirOperator]]:
    """What describes the operators of such a file: the registries of those that wrote it, the
    newest for a version that nobody knows."""
    written = PIR_VERSIONS.get(pir_version or 0, ())
    return [pir_operators(release) for release in written or known_releases()[-1:]]


def _first_alternative(
    known: Sequence[object], operator: Operator, flaw: Callable[..., str | None]
) -> str | None:
    """None where one of the descriptions fits, or there is none; else what the last one misses."""
    wrong = None
    for description in known:
        wrong = flaw(description, operator)
        if wrong is None:
            return None
    return wrong


def _pir_flaw(
    variables: Mapping[str, TensorSpec], known: PirOperator, operator: Operator
) -> str | None:
    kinds = operator.kinds
    for attribute in known.attributes:
        kind = kinds.get(attribute.name)
        if kind is None:
            return f"it lacks the attribute {attribute.name!r}"
        narrow = operator.name in _WITH_FLOATS and attribute.type == "scalar"
        if not _is_of(attribute, kind) or (narrow and kind != _FLOAT):
            return f"its attribute {attribute.name!r} is {kind}, not {attribute.type}"
    if not known.described or not known.name.startswith("pd_op."):
        return None
    return _wrong_slots("operand", operator.inputs, known.operands, variables) or _wrong_slots(
        "result", operator.outputs, known.results, variables
    )


def _wrong_slots(
    what: str,
    values: Mapping[str, tuple[str, ...]],
    slots: Sequence[PirOperand | PirResult],
    variables: Mapping[str, TensorSpec],
) -> str | None:
    """Whether one is missing, or one tensor stands where several are wanted, the other way round,
    or numbers where sizes are wanted."""
    if len(values) != len(slots):
        return f"it has {len(values)} {what}s, not {len(slots)}"
    for slot, (value,) in zip(slots, values.values()):
        if value == _ABSENT:
            if not slot.optional:
                return f"its {what} {slot.name!r} is missing"
            continue
        dtype = variables[value].dtype if value in variables else None
        if slot.type == "any" or (dtype is None and what == "result"):
            continue  # a result that nobody asked for has no type
        if isinstance(slot, PirOperand) and slot.mutable_attribute:
            wrong = slot.type == "intarray" and dtype not in _SIZES
        else:
            wrong = _form(dtype) != _wanted(slot.type)
        if wrong:
            return f"its {what} {slot.name!r} is {dtype}, not {slot.type}"
    return None


def _is_of(attribute: PirAttribute, kind: str) -> bool:
    wanted = attribute.type
    if wanted is None or kind == wanted:
        return True
    if wanted == "scalar":
        return kind in _NUMBERS
    if wanted == "0.a_array<scalar>":
        return kind.startswith("0.a_array<")  # of which each may be of another kind
    return kind == "0.a_array<>" and wanted.startswith("0.a_array")


def _form(dtype: str | None) -> str | None:
    return _DENSE if dtype in _ELEMENTS else dtype


def _wanted(kind: str) -> str:
    """The form of a value of that kind."""
    return SEVERAL if kind.startswith("vector<") else kind if kind in _NO_DENSE else _DENSE


def _legacy_flaw_of_any(
    release: str | None, variables: Mapping[str, TensorSpec], operator: Operator
) -> str | None:
    known = _described(operator.name, release)
    return _first_alternative(known, operator, partial(_legacy_flaw, variables))


@lru_cache(maxsize=4096)
def _described(name: str, release: str | None) -> tuple[LegacyOperator, ...]:
    """What the release that saved it says of an operator, else what any release says."""
    table = legacy_operators(release) if release else {}
    if name in table:
        return (table[name],)
    # Operators of 1.x that no release has any more were replaced by those with a 2.
    return legacy_descriptions(name) or legacy_descriptions(f"{name}2")


def _legacy_flaw(
    variables: Mapping[str, TensorSpec], known: LegacyOperator, operator: Operator
) -> str | None:
    if not known.described:
        return _undescribed_flaw(operator)
    if operator.name in _READING_ROWS:
        return "it reads selected rows, which no program of inference has"
    kinds = operator.kinds
    for attribute in known.attributes if known.name == operator.name else ():
        kind = kinds.get(attribute.name)
        if kind is None:
            if attribute.default is None and attribute.type is not None:
                return f"it lacks the attribute {attribute.name!r}"
        elif attribute.type and kind not in _LEGACY_ALIKE.get(attribute.type, {attribute.type}):
            if kind in _VARIABLES and _tell(operator, attribute, kind, variables):
                continue
            return f"its attribute {attribute.name!r} is {kind}, not {attribute.type}"
    for what, values, described in (
        ("input", operator.inputs, known.inputs),
        ("output", operator.outputs, known.outputs),
    ):
        names = {slot.name: slot for slot in described}
        for name, held in values.items():
            if held and name not in names:
                return f"no release knows its {what} {name!r}"
            if len(held) > 1 and not names[name].duplicable:
                return f"its {what} {name!r} holds {len(held)} values, not one"
        for slot in described:
            inner = slot.intermediate and not known.name.startswith(_OF_PASSES)
            optional = slot.dispensable or inner or slot.extra
            optional = optional or (known.name, slot.name) in _READING_NOTHING
            if not optional and not values.get(slot.name):
                return f"its {what} {slot.name!r} is missing"
    return None


def _tell(
    operator: Operator,
    attribute: LegacyAttribute,
    kind: str,
    variables: Mapping[str, TensorSpec],
) -> bool:
    """Whether variables tell the attribute that can: numbers, and several only for a list."""
    wanted, value = attribute.type or "", operator.attributes[attribute.name]
    fitting = _TOLD_BY.get(wanted, frozenset())
    names = value if isinstance(value, tuple) else (value,)
    return (
        attribute.name in BY_VARIABLE.get(operator.name, ())
        and (kind == "VAR" or wanted.endswith("S"))
        and bool(names)
        and all(name in variables and variables[name].dtype in fitting for name in names)
    )


# What second gradients of elementwise operators call theirs (``DDX``, ``DDOut``).
_SECOND = "DD"


def _undescribed_flaw(operator: Operator) -> str | None:
    """Of a gradient, which Paddle has no prototype for: it takes and gives gradients."""
    for what, slots in (("inputs", operator.inputs), ("outputs", operator.outputs)):
        told = (name for name, values in slots.items() if values)
        if not any(GRADIENT in name or name.startswith(_SECOND) or "@NEW" in name for name in told):
            return f"it has no gradient among its {what}"
    return missing_operand(operator)
