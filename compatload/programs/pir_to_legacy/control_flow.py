"""``if`` and ``while``: PIR's regions as the sub-blocks of a legacy program.

A PIR region gives its results at its end; a legacy sub-block assigns variables of the block around
it. Both branches of an ``if`` become a ``conditional_block`` of their own and ``select_input``
picks from what they assigned; the variables a ``while`` carries are copied once before the loop
and assigned at the end of every turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Callable

from compatload.programs.pir_to_legacy import graph, legacy
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import DataType, TensorType

YIELD = "cf.yield"
OWNERS = {"conditional_block": "Input", "while": "X"}  # operator → slot of what its block reads
Translate = Callable[[graph.PirBlock], None]


def convert_if(operation: graph.Operation, out: Emitter, translate: Translate) -> None:
    """Regions: what to do if true, and if false."""
    condition = out.operand(operation, 0)
    if len(operation.regions) != 2:
        raise ObstacleError(f"two branches were expected, found {len(operation.regions)}")
    chosen = [_branch(operation, operation.regions[0], condition, out, translate)]
    opposite = out.emit_new("logical_not", {"X": condition}, "Out", _type_of_condition(operation))
    chosen.append(_branch(operation, operation.regions[1], opposite, out, translate))
    if not operation.results:
        return
    mask_type = TensorType("int32", _type_of_condition(operation).dims)
    casting = {"in_dtype": DataType("bool"), "out_dtype": DataType("int32")}
    mask = out.emit_new("cast", {"X": condition}, "Out", mask_type, casting)
    for value, if_true, if_false in zip(operation.results, *chosen):
        if if_true == if_false:
            out.bind(value, (if_true,))
            continue
        target = out.define(value, "select_input")
        out.emit("select_input", {"X": (if_false, if_true), "Mask": mask}, {"Out": target})


def _type_of_condition(operation: graph.Operation) -> TensorType:
    value = operation.operand(0)
    return TensorType("bool", ()) if value is None else value.type


def _branch(
    operation: graph.Operation,
    region: graph.PirBlock,
    condition: str,
    out: Emitter,
    translate: Translate,
) -> list[str]:
    """Emits one branch and gives the variables that hold its results: a list from outside, which
    the branch may have appended to, is its own."""
    targets: list[str] = []
    results: list[str] = []
    outer = out.block
    with out.inner_block() as block:
        translate(region)
        yielded = _yielded(region, len(operation.results))
        for value, result in zip(yielded, operation.results):
            name = out.name(value)
            if value.type.kind != "array" or name in block.variables:
                target = out.fresh("branch")
                outer.declare(legacy.tensor_variable(target, result.type))
                out.emit("assign", {"X": name}, {"Out": target})
                targets.append(target)
                name = target
            results.append(name)
    out.emit(
        "conditional_block",
        {"Cond": condition},
        {"Out": targets, "Scope": _scopes(out)},
        {"sub_block": block.index, "is_scalar_condition": True},
    )
    return results


def convert_while(operation: graph.Operation, out: Emitter, translate: Translate) -> None:
    """Operands: the first condition, then the first value of everything carried."""
    body = operation.regions[0]
    condition_type = _type_of_condition(operation)
    condition = out.emit_new("assign", {"X": out.operand(operation, 0)}, "Out", condition_type)
    carried = []
    for index, argument in enumerate(body.arguments, 1):
        name = out.operand(operation, index)
        if not _is_given_away(operation.operand(index), operation):
            name = out.emit_new("assign", {"X": name}, "Out", argument.type)
        out.bind(argument, (name,))
        carried.append(name)
    with out.inner_block() as block:
        translate(body)
        going_on, *values = _yielded(body, 1 + len(carried))
        sources = [out.name(value) for value in values]
        _assign_all(sources, values, carried, out)
        out.emit("assign", {"X": out.name(going_on)}, {"Out": condition})
    for value, name in zip(operation.results, carried):
        out.bind(value, (name,))
    out.emit(
        "while",
        {"Condition": condition},
        {"Out": (*carried, condition), "StepScopes": _scopes(out)},
        {"sub_block": block.index, "is_test": True},
    )


def _is_given_away(value: graph.Value | None, loop: graph.Operation) -> bool:
    """A list that nothing reads behind the loop need not be copied, and oneDNN's elements are not
    to be: `could not create a primitive descriptor for a reorder primitive` (2.6.2)."""
    return value is not None and value.type.kind == "array" and value.uses[-1] is loop


def _assign_all(
    sources: Sequence[str], values: Sequence[graph.Value], targets: Sequence[str], out: Emitter
) -> None:
    """Assigns as if at once: a source that is itself assigned before is copied first."""
    waiting = list(sources)
    for index, (source, value) in enumerate(zip(sources, values)):
        if source in targets and source != targets[index]:
            waiting[index] = out.emit_new("assign", {"X": source}, "Out", value.type)
    for source, target in zip(waiting, targets):
        if source != target:
            out.emit("assign", {"X": source}, {"Out": target})


def _yielded(region: graph.PirBlock, count: int) -> list[graph.Value]:
    last = region.operations[-1] if region.operations else None
    if last is None or last.name != YIELD:
        if count == 0:
            return []
        raise ObstacleError("a block of control flow ends without a yield")
    values = [value for value in last.operands if value is not None]
    if len(values) != count:
        raise ObstacleError(f"a block yields {len(values)} values, {count} are expected")
    return values


def _scopes(out: Emitter) -> str:
    name = out.fresh("scopes")
    out.block.declare(legacy.Variable(name, "step_scopes"))
    return name


def connect(blocks: Sequence[legacy.EmittedBlock]) -> None:
    """Names, on every operator that owns a block, the outer variables the block reads or writes.

    Inner blocks come after the blocks around them, so the last is done first.
    """
    for block in reversed(blocks):
        for operator in block.operators:
            slot = OWNERS.get(operator.type)
            if slot is None:
                continue
            inner = blocks[operator.attributes["sub_block"][1]]
            written = _outer(inner, (o.output_names() for o in inner.operators))
            read = _outer(inner, (o.input_names() for o in inner.operators))
            given = operator.outputs.get("Out", ())
            operator.outputs["Out"] = (*given, *(n for n in written if n not in given))
            if operator.type == "while":
                read = list(dict.fromkeys([*given, *read]))
            operator.inputs[slot] = tuple(
                name for name in read if name not in operator.inputs.get("Condition", ())
            )


def _outer(block: legacy.EmittedBlock, names: Iterable[Iterable[str]]) -> list[str]:
    found = dict.fromkeys(name for group in names for name in group)
    return [name for name in found if name not in block.variables]
