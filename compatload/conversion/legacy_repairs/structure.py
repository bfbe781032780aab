"""Whether a decoded program hangs together.

Paddle's translator and executor trust a program that parses: a block that is its own parent hangs
them, a variable that nobody declares or an unknown element type ends in SIGSEGV (each found by
altering single fields of real programs). What a program refers to is checked here first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compatload.artifact.program_proto import ATTR_TYPES, DATA_TYPES, VARIABLE_KINDS
from compatload.errors import DamagedArtifactError

_ATTRIBUTE_TYPES = frozenset(ATTR_TYPES.values())
_BLOCK, _BLOCKS = ATTR_TYPES["BLOCK"], ATTR_TYPES["BLOCKS"]
_WITHOUT_RESULTS = frozenset(
    {"assert", "delete_var", "print", "save", "save_combine", "send_v2"}
)  # of those that an inference program may hold
_MAXIMUM_SIZE = 2**48
_MAXIMUM_NESTING = 64
# Their inputs are optional for Paddle, which dereferences them all the same.
_NEEDING_INPUT = frozenset({"assign", "select_input", "select_output"})
_DENSE_TENSOR = 7
# Kind of a variable → field that holds its tensor.
_TENSORS = {_DENSE_TENSOR: "dense_tensor", 8: "selected_rows", 13: "tensor_array"}


def require_sound(desc: Any) -> None:
    """Raise DamagedArtifactError, naming the first place that does not fit, if there is one."""
    if not desc.blocks:
        raise _damaged("it has no block")
    depths: list[int] = []
    for index, block in enumerate(desc.blocks):
        _check_block(block, index)
        depths.append(depths[block.parent_idx] + 1 if index else 0)
        if depths[-1] > _MAXIMUM_NESTING:
            raise _damaged(f"block {index} is nested more than {_MAXIMUM_NESTING} deep")
    owners: dict[int, str] = {}
    owned: dict[tuple[int, int], list[int]] = {}
    for block in desc.blocks:
        for index, operator in enumerate(block.ops):
            position = f"{operator.type} (block {block.idx}, operator {index})"
            blocks = _check_operator(operator, position)
            for one in blocks:
                _check_owned(desc, block, one, owners, position)
            if blocks:
                owned[block.idx, index] = blocks
    unowned = [block.idx for block in desc.blocks[1:] if block.idx not in owners]
    if unowned:
        raise _damaged(f"no operator owns block {unowned[0]}")
    _check_names(desc, owned)


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


def _check_operator(operator: Any, position: str) -> list[int]:
    """Check an operator by itself; the blocks that it owns."""
    if not operator.type:
        raise _damaged(f"{position} has no type")
    owned: list[int] = []
    for attribute in operator.attrs:
        kind = attribute.type
        if kind not in _ATTRIBUTE_TYPES:
            raise _damaged(f"attribute {attribute.name!r} of {position} has unknown type {kind}")
        if kind == _BLOCK:
            owned.append(attribute.block_idx)
        elif kind == _BLOCKS:
            owned.extend(attribute.blocks_idx)
    results = any(slot.arguments for slot in operator.outputs)
    if not results and not owned and operator.type not in _WITHOUT_RESULTS:
        raise _damaged(f"{position} yields nothing")
    if operator.type in _NEEDING_INPUT and not any(slot.arguments for slot in operator.inputs):
        raise _damaged(f"{position} reads nothing")
    return owned


def _check_owned(desc: Any, block: Any, owned: int, owners: dict[int, str], position: str) -> None:
    if not block.idx < owned < len(desc.blocks) or desc.blocks[owned].parent_idx != block.idx:
        raise _damaged(f"{position} owns block {owned}, which is not a child of its own block")
    if owned in owners:
        raise _damaged(f"block {owned} is owned by {owners[owned]} and by {position}")
    owners[owned] = position


@dataclass(frozen=True)
class _Scope:
    """The names of a block: their kinds, and those that have a value by now."""

    kinds: Mapping[str, int]
    valued: set[str]
    around: _Scope | None = None

    def kind(self, name: str) -> int | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.kinds:
                return scope.kinds[name]
            scope = scope.around
        return None

    def has_value(self, name: str) -> bool:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.valued:
                return True
            scope = scope.around
        return False


def _check_names(
    desc: Any,
    owned: Mapping[tuple[int, int], list[int]],
    number: int = 0,
    around: _Scope | None = None,
) -> None:
    """Every argument is declared in its block or around it, and no tensor is read before it has a
    value. Operators that own blocks list what those read; it is checked there.

    Recursion ends with the nesting, which is bounded.
    """
    block = desc.blocks[number]
    scope = _Scope(
        {one.name: one.type.type for one in block.vars},
        {one.name for one in block.vars if one.persistable},
        around,
    )
    for index, operator in enumerate(block.ops):
        inputs = [name for slot in operator.inputs for name in slot.arguments]
        outputs = [name for slot in operator.outputs for name in slot.arguments]
        for name in (*inputs, *outputs):
            if scope.kind(name) is None:
                position = f"{operator.type} (block {number}, operator {index})"
                raise _damaged(f"{position} names {name!r}, which is declared nowhere")
        blocks = owned.get((number, index), ())
        for name in () if blocks else inputs:
            if scope.kind(name) == _DENSE_TENSOR and not scope.has_value(name):
                position = f"{operator.type} (block {number}, operator {index})"
                raise _damaged(f"{position} reads {name!r}, which has no value yet")
        for one in blocks:
            _check_names(desc, owned, one, scope)
        scope.valued.update(outputs)
