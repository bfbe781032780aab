"""Whether a legacy program hangs together.

Paddle's translator and executor trust a program that parses: a block that two operators own hangs
them, a variable that nobody declares ends in SIGSEGV (each found by altering single fields of real
programs). ``program_desc`` checks names and numbers by themselves when it reads a program; what
operators, blocks and variables say of each other is checked here, before Paddle meets them.
"""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import MEMORY, Block, Operator, Program
from compatload.artifact.program_proto import VARIABLE_KINDS, VARIABLE_NUMBERS
from compatload.errors import DamagedArtifactError
from compatload.frozen import frozen

# Of those that only compute, print or raise (``operators.admission`` lets in no others).
_WITHOUT_RESULTS = frozenset({"assert", "print"})
_CONDITIONS = frozenset(("Cond", "Condition"))
_MAXIMUM_NESTING = 64
_FIRST_SHAPE = "XShape"
# Their inputs are optional for Paddle, which dereferences them all the same.
_NEEDING_INPUT = frozenset({"assign", "select_input", "select_output"})
_DENSE_TENSOR = VARIABLE_NUMBERS["dense_tensor"]
_KINDS = frozenset(VARIABLE_KINDS)
# What the executor keeps in variables is no tensor, and a kernel takes it for one: where it stands,
# in 845 saved programs, as operator ("": any) and slot.
_PLACES = {
    VARIABLE_NUMBERS["feed_minibatch"]: frozenset({("feed", "X")}),
    VARIABLE_NUMBERS["fetch_list"]: frozenset({("fetch", "Out")}),
    VARIABLE_NUMBERS["step_scopes"]: frozenset({("", "StepScopes"), ("", "Scope")}),
}


def require_sound(program: Program, path: str = MEMORY) -> None:
    """Raise DamagedArtifactError, naming the first place of a decoded legacy program that does
    not fit, if there is one."""
    try:
        _check_blocks(program.blocks)
        _check_owners(program)
        _check_names(program)
    except _UnsoundError as error:
        raise DamagedArtifactError(
            f"{path} does not hang together: {error}.",
            action="Copy the model again from its source.",
            artifact=path,
        ) from None


class _UnsoundError(Exception):
    """The argument says where and how."""


def _check_blocks(blocks: Mapping[int, Block]) -> None:
    depths: dict[int, int] = {-1: -1}
    for index, block in blocks.items():
        depths[index] = depths[block.parent] + 1
        if depths[index] > _MAXIMUM_NESTING:
            raise _UnsoundError(f"block {index} is nested more than {_MAXIMUM_NESTING} deep")
        if not _KINDS.issuperset(block.kinds.values()):
            name, kind = next(pair for pair in block.kinds.items() if pair[1] not in _KINDS)
            raise _UnsoundError(f"variable {name!r} is of unknown kind {kind}")


def _check_owners(program: Program) -> None:
    owners: dict[int, str] = {}
    for operator in program.operators:
        for owned in operator.sub_blocks:
            if program.blocks[owned].parent != operator.block:
                raise _UnsoundError(
                    f"{operator.position} owns block {owned}, which is not a child of its own block"
                )
            if owned in owners:
                raise _UnsoundError(
                    f"block {owned} is owned by {owners[owned]} and by {operator.position}"
                )
            owners[owned] = operator.position
    unowned = program.blocks.keys() - owners.keys() - {0}
    if unowned:
        raise _UnsoundError(f"no operator owns block {min(unowned)}")


@frozen
class _Scope:
    """The names of a block: their kinds, those that have a value by now, and which of these and of
    those around it are the executor's."""

    kinds: Mapping[str, int]
    valued: set[str]
    executors: Mapping[str, int]
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


def _check_names(program: Program) -> None:
    blocks: list[list[Operator]] = [[] for _ in program.blocks]
    for operator in program.operators:
        blocks[operator.block].append(operator)
    _check_block(program.blocks, blocks, 0, None)


def _check_block(
    blocks: Mapping[int, Block], operators: list[list[Operator]], number: int, around: _Scope | None
) -> None:
    """Every argument is declared in its block or around it, and no tensor is read before it has a
    value. Operators that own blocks list what those read; it is checked there.

    Recursion ends with the nesting, which is bounded.
    """
    kinds, valued = blocks[number].kinds, set(blocks[number].persistable)
    seen = {**around.executors, **kinds} if around else kinds
    executors = {one: kind for one, kind in seen.items() if kind in _PLACES}
    scope = _Scope(kinds, valued, executors, around)
    for operator in operators[number]:
        name, inputs, outputs = operator.name, operator.inputs, operator.outputs
        for slot, arguments in inputs.items():
            for argument in arguments:
                if argument not in valued:
                    # What its blocks read is checked there, but the condition is its own. Of
                    # the first shape of a gradient only what is declared is read: 2.6 does not
                    # always save what makes it.
                    own = slot in _CONDITIONS or not (operator.sub_blocks or slot == _FIRST_SHAPE)
                    _check_read(operator, argument, scope, own)
        yielded = [argument for arguments in outputs.values() for argument in arguments]
        _check_places(operator, executors)
        for argument in yielded:
            if argument not in kinds and scope.kind(argument) is None:
                raise _UnsoundError(_undeclared(operator, argument))
        if not name:
            raise _UnsoundError(f"{operator.position} has no type")
        if not yielded and not operator.sub_blocks and name not in _WITHOUT_RESULTS:
            raise _UnsoundError(f"{operator.position} yields nothing")
        if name in _NEEDING_INPUT and not any(inputs.values()):
            raise _UnsoundError(f"{operator.position} reads nothing")
        for owned in operator.sub_blocks:
            _check_block(blocks, operators, owned, scope)
        valued.update(yielded)


def _check_places(operator: Operator, executors: Mapping[str, int]) -> None:
    for slot, arguments in (*operator.inputs.items(), *operator.outputs.items()):
        for argument in arguments:
            places = _PLACES[executors[argument]] if argument in executors else None
            if places and places.isdisjoint({(operator.name, slot), ("", slot)}):
                raise _UnsoundError(f"{operator.position} has {argument!r}, no tensor, as {slot}")


def _check_read(operator: Operator, name: str, scope: _Scope, own: bool) -> None:
    kind = scope.kind(name)
    if kind is None:
        raise _UnsoundError(_undeclared(operator, name))
    if kind == _DENSE_TENSOR and own and not scope.has_value(name):
        raise _UnsoundError(f"{operator.position} reads {name!r}, which has no value yet")


def _undeclared(operator: Operator, name: str) -> str:
    return f"{operator.position} names {name!r}, which is declared nowhere"
