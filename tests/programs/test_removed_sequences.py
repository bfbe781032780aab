"""Operators on sequences that 3.x has lost: what they are composed of. Numbers: matrix, CL165."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from compatload.artifact.program_proto import message
from compatload.faults.cl165_removed_sequences import REMOVED
from compatload.operators.effects import Effect, effect_of
from compatload.operators.registry import legacy_operators
from compatload.programs.legacy_repairs import removed_sequences
from compatload.programs.legacy_repairs.program import arguments, attribute, new_operator, parsed
from compatload.programs.legacy_repairs.repair import repair

FLOAT32, INT64 = 5, 3
SPECIFIC: Mapping[str, Mapping[str, tuple[str, Any]]] = {
    "sequence_enumerate": {"win_size": ("INT", 2), "pad_value": ("INT", 0)},
    "sequence_erase": {"tokens": ("INTS", [1, 3])},
    "sequence_reshape": {"new_dim": ("INT", 3)},
}
INPUTS: Mapping[str, Sequence[str]] = {
    "sequence_expand_as": ("X", "Y"),
    "sequence_pad": ("X", "PadValue"),
    "sequence_scatter": ("X", "Ids", "Updates"),
    "sequence_slice": ("X", "Offset", "Length"),
    "sequence_unpad": ("X", "Length"),
}
WHOLE = frozenset({"Ids", "Length", "Offset"})


def program(name: str, slots: Sequence[str], result: str) -> bytes:
    desc = message("ProgramDesc")
    desc.version.version = 2006002
    block = desc.blocks.add(idx=0, parent_idx=-1)
    for slot in (*slots, result):
        variable = block.vars.add(name=slot.lower(), persistable=slot in slots)
        variable.type.type = 7
        variable.type.dense_tensor.tensor.data_type = INT64 if slot in WHOLE else FLOAT32
        variable.type.dense_tensor.tensor.dims.extend((-1, 6))
    inputs = {slot: [slot.lower()] for slot in slots}
    outputs = {result: [result.lower()]}
    block.ops.extend([new_operator(name, inputs, outputs, SPECIFIC.get(name, {}))])
    return bytes(desc.SerializeToString())


def composed(name: str, target: str) -> tuple[bytes, Any]:
    result = "Y" if name == "sequence_reverse" else "Out"
    repaired = repair(program(name, INPUTS.get(name, ("X",)), result), target)
    return repaired.data, repaired.changes


@pytest.mark.parametrize("name", sorted(removed_sequences.REPAIRS))
@pytest.mark.parametrize("target", ["3.0.0", "3.3.1"])
def test_it_is_composed_of_operators_that_the_release_has(name: str, target: str) -> None:
    assert name not in legacy_operators(target)
    data, changes = composed(name, target)
    assert changes[0].rule == "CL165"
    operators = parsed(data).blocks[0].ops
    assert operators[-1].outputs[0].arguments == ["y" if name == "sequence_reverse" else "out"]
    for one in operators:
        assert effect_of(one.type) is Effect.COMPUTES, one.type
        assert one.type in legacy_operators(target)


@pytest.mark.parametrize("name", sorted(removed_sequences.REPAIRS))
def test_2_6_has_it_and_keeps_it(name: str) -> None:
    data, changes = composed(name, "2.6.2")
    assert name in legacy_operators("2.6.2")
    assert not changes
    assert [one.type for one in parsed(data).blocks[0].ops] == [name]


def test_padding_stands_behind_all_rows_and_is_picked_where_none_is() -> None:
    data, _ = composed("sequence_pad", "3.3.1")
    operators = parsed(data).blocks[0].ops
    *_, filled = (one for one in operators if one.type == "concat")
    rows, filling = arguments(filled.inputs, "X")
    maker = next(one for one in operators if filling in arguments(one.outputs, "Out"))
    assert rows == "x"
    assert arguments(maker.inputs, "Y") == ("padvalue",)
    assert operators[-1].type == "gather_nd"
    assert arguments(operators[-1].inputs, "X") == arguments(filled.outputs, "Out")


def test_what_is_named_is_composed() -> None:
    assert removed_sequences.REPAIRS.keys() == REMOVED


def test_an_operator_without_its_inputs_is_left_as_it_is() -> None:
    data = program("sequence_pad", ("X",), "Out")
    assert not repair(data, "3.3.1").changes


def test_tokens_are_compared_one_by_one() -> None:
    data, _ = composed("sequence_erase", "3.3.1")
    operators = parsed(data).blocks[0].ops
    assert sum(one.type == "not_equal" for one in operators) == 2
    constants = [attribute(one, "value") for one in operators if one.type == "fill_constant"]
    assert {1.0, 3.0} <= set(constants)
