"""Whether a decoded program hangs together.

Paddle's translator and executor trust a program that parses: a block that is its own parent hangs
them, a variable that nobody declares or an unknown element type ends in SIGSEGV (each found by
altering single fields of real programs). What a program refers to is checked here first.
"""

from __future__ import annotations

from typing import Any

from compatload.artifact.program_proto import ATTR_TYPES, DATA_TYPES, VARIABLE_KINDS
from compatload.errors import DamagedArtifactError

_ATTRIBUTE_TYPES = frozenset(ATTR_TYPES.values())
_BLOCK, _BLOCKS = ATTR_TYPES["BLOCK"], ATTR_TYPES["BLOCKS"]
_WITHOUT_RESULTS = frozenset(
    {"assert", "delete_var", "print", "save", "save_combine", "send_v2"}
)  # of those that an inference program may hold
_MAXIMUM_SIZE = 2**48
# Their inputs are optional for Paddle, which dereferences them all the same.
_NEEDING_INPUT = frozenset({"assign", "select_input", "select_output"})
_DENSE_TENSOR = 7
# Kind of a variable → field that holds its tensor.
_TENSORS = {_DENSE_TENSOR: "dense_tensor", 8: "selected_rows", 13: "tensor_array"}


def require_sound(desc: Any) -> None:
    """Raise DamagedArtifactError, naming the first place that does not fit, if there is one."""
    if not desc.blocks:
        raise _damaged("it has no block")
    for index, block in enumerate(desc.blocks):
        _check_block(block, index)
    owners: dict[int, str] = {}
    for block in desc.blocks:
        for index, operator in enumerate(block.ops):
            position = f"{operator.type} (block {block.idx}, operator {index})"
            _check_operator(operator, position)
            for owned in _owned_blocks(operator):
                _check_owned(desc, block, owned, owners, position)
    unowned = [block.idx for block in desc.blocks[1:] if block.idx not in owners]
    if unowned:
        raise _damaged(f"no operator owns block {unowned[0]}")
    _check_names(desc)


def _damaged(problem: str) -> DamagedArtifactError:
    return DamagedArtifactError(
        f"The program does not hang together: {problem}.",
        action="Copy the model again from its source.",
    )


def _check_block(block: Any, index: int) -> None:
    if block.idx != index:
        raise _damaged(f"block {index} says that it is block {block.idx}")
    if index == 0 and block.parent_idx != -1:
        raise _damaged("block 0 has a parent")
    if index > 0 and not 0 <= block.parent_idx < index:
        raise _damaged(f"the parent of block {index} is said to be block {block.parent_idx}")
    for variable in block.vars:
        _check_variable(variable)


def _check_variable(variable: Any) -> None:
    kind = variable.type.type
    if kind not in VARIABLE_KINDS:
        raise _damaged(f"variable {variable.name!r} is of unknown kind {kind}")
    field = _TENSORS.get(kind)
    if field is None or not variable.type.HasField(field):
        return
    tensor = getattr(variable.type, field)
    tensor = tensor if field == "selected_rows" else tensor.tensor
    if tensor.data_type not in DATA_TYPES:
        raise _damaged(f"variable {variable.name!r} has unknown element type {tensor.data_type}")
    # Products of unknown sizes are stored as well: −3 is three times an unknown one.
    if any(abs(size) >= _MAXIMUM_SIZE for size in tensor.dims):
        raise _damaged(f"variable {variable.name!r} has impossible dimensions")


def _check_operator(operator: Any, position: str) -> None:
    if not operator.type:
        raise _damaged(f"{position} has no type")
    results = any(slot.arguments for slot in operator.outputs)
    if not results and not _owned_blocks(operator) and operator.type not in _WITHOUT_RESULTS:
        raise _damaged(f"{position} yields nothing")
    for attribute in operator.attrs:
        if attribute.type not in _ATTRIBUTE_TYPES:
            raise _damaged(
                f"attribute {attribute.name!r} of {position} has unknown type {attribute.type}"
            )

    if operator.type in _NEEDING_INPUT and not any(slot.arguments for slot in operator.inputs):
        raise _damaged(f"{position} reads nothing")


def _owned_blocks(operator: Any) -> list[int]:
    owned: list[int] = []
    for attribute in operator.attrs:
        if attribute.type == _BLOCK:
            owned.append(attribute.block_idx)
        elif attribute.type == _BLOCKS:
            owned.extend(attribute.blocks_idx)
    return owned


def _check_owned(desc: Any, block: Any, owned: int, owners: dict[int, str], position: str) -> None:
    if not block.idx < owned < len(desc.blocks) or desc.blocks[owned].parent_idx != block.idx:
        raise _damaged(f"{position} owns block {owned}, which is not a child of its own block")
    if owned in owners:
        raise _damaged(f"block {owned} is owned by {owners[owned]} and by {position}")
    owners[owned] = position


def _check_names(desc: Any) -> None:
    """Every argument is declared in its block or around it, and no tensor is read before it has a
    value. Operators that own blocks list what those read; it is checked there."""
    declared: list[dict[str, int]] = []
    valued: list[frozenset[str]] = []
    for block in desc.blocks:
        around = declared[block.parent_idx] if block.idx else {}
        declared.append({**around, **{one.name: one.type.type for one in block.vars}})
        valued.append(frozenset(one.name for one in block.vars if one.persistable))
    pending: list[tuple[int, frozenset[str]]] = [(0, frozenset())]
    while pending:
        number, inherited = pending.pop()
        known = set(valued[number] | inherited)
        for index, operator in enumerate(desc.blocks[number].ops):
            position = f"{operator.type} (block {number}, operator {index})"
            owned = _owned_blocks(operator)
            for slot in (*operator.inputs, *operator.outputs):
                for name in slot.arguments:
                    if name not in declared[number]:
                        raise _damaged(f"{position} names {name!r}, which is declared nowhere")
            for slot in () if owned else operator.inputs:
                for name in slot.arguments:
                    if name not in known and declared[number].get(name) == _DENSE_TENSOR:
                        raise _damaged(f"{position} reads {name!r}, which has no value yet")
            pending.extend((one, frozenset(known)) for one in owned)
            known.update(name for slot in operator.outputs for name in slot.arguments)
