"""From a PIR program to a legacy one."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compatload.artifact.model import Parameter
from compatload.errors import ConversionError
from compatload.frozen import frozen
from compatload.operators.miscounted import MISCOUNTING
from compatload.operators.mistyped import ALWAYS_FLOAT32
from compatload.programs.pir_to_legacy import control_flow, graph, kernels, legacy
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.families import find
from compatload.programs.pir_to_legacy.indexes import FromZero, counted_from_start
from compatload.programs.pir_to_legacy.rules import OperatorRule, apply

_INPUTS = frozenset({"pd_op.data", "pd_op.feed"})
_OUTPUTS = frozenset({"pd_op.fetch", "builtin.shadow_output"})
# What a rule meets where attributes are not of the kind that their operator has.
_MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
# What gives its result a place that was there before.
_OVERWRITING = frozenset({"pd_op.assign_out_", "pd_op.increment_"})
_NOT_OF_THIS_OPERATOR = "its attributes, operands or results are not those of this operator"
_PARAMETER = "parameter_name"
# Variables of 2.6 by which it feeds and fetches: inputs and outputs called so get another name.
_HOLDERS = _FEED, _FETCH = "feed", "fetch"
_CONTROL_FLOW = {"pd_op.if": control_flow.convert_if, "pd_op.while": control_flow.convert_while}


@frozen
class ConvertedProgram:
    """``program`` is a serialised ProgramDesc; ``parameter_order`` names the tensors as they must
    follow each other in the weights file; ``flags`` tells of each parameter what jit.load of 2.6
    wants to know. The latter two are empty for a program without parameters."""

    program: bytes
    parameter_order: tuple[str, ...]
    flags: Mapping[str, Mapping[str, object]]

    @property
    def info(self) -> bytes:
        """The ``.pdiparams.info`` of this program alone; empty where it has no parameters."""
        return info_of([self])


def info_of(programs: Iterable[ConvertedProgram]) -> bytes:
    """One ``.pdiparams.info`` for several methods: jit.load reads that of ``forward`` for all."""
    merged = {name: dict(flags) for each in programs for name, flags in each.flags.items()}
    return pickle.dumps(merged, protocol=2) if merged else b""


def pir_to_legacy(
    program: Mapping[str, Any],
    parameters: Sequence[Parameter],
    from_zero: FromZero = lambda value: False,
) -> ConvertedProgram:
    """Converts a PIR program, as ``json.load`` gives it, to what Paddle 2.6.2 reads.

    Args:
        program: the decoded ``.json`` file.
        parameters: what the weights file holds; names must match those of the program.
        from_zero: of a value's id, whether it is known not to be below zero.

    Raises:
        DamagedArtifactError: this is no PIR program.
        ConversionError: some operator has no counterpart; every such place is listed.
    """
    outermost = graph.read_graph(program)
    told = program.get("base_code")
    version = told.get("version") if isinstance(told, Mapping) else None
    conversion = _Conversion(outermost, version if isinstance(version, int) else 0, from_zero)
    conversion.run()
    obstacles = [*_parameter_problems(conversion.parameters, parameters), *conversion.obstacles]
    if obstacles:
        raise ConversionError(
            f"This PIR program cannot be written as a program of Paddle 2.6:"
            f" {len(obstacles)} obstacle(s).",
            obstacles=obstacles,
            action="Run the model with Paddle 3.x, or export it without these operators.",
        )
    return conversion.result()


def _parameter_problems(
    wanted: Mapping[str, graph.Operation], given: Sequence[Parameter]
) -> list[str]:
    found = {parameter.name for parameter in given}
    return [
        *(f"parameter {name} is not among the weights" for name in wanted if name not in found),
        *(f"the weights hold {name}, unknown to the program" for name in sorted(found - {*wanted})),
    ]


class _Conversion:
    def __init__(self, outermost: graph.PirBlock, pir_version: int, from_zero: FromZero) -> None:
        self._outermost = outermost
        self._from_zero = from_zero
        self._miscounted: set[graph.Value | None] = set()  # may have elements where 0 is declared
        self.obstacles: list[str] = []
        self.parameters = {
            _name(operation): operation
            for operation in graph.operations(outermost)
            if operation.name == "builtin.parameter" and _is_stored(operation)
        }
        self._inputs = [o for o in outermost.operations if o.name in _INPUTS]
        self._outputs = [o for o in outermost.operations if o.name in _OUTPUTS]
        self._outputs.sort(key=lambda o: o.attributes.get("col", 0))
        self._out = Emitter(self._reserved(), self._preferred(), pir_version)

    def _reserved(self) -> set[str]:
        named = [*self.parameters, *map(_name, self._inputs), *map(_name, self._outputs)]
        return {*named, *_HOLDERS}

    def _preferred(self) -> dict[graph.Value, str]:
        """What is fetched gets the output's name, so that predictors show the same names."""
        taken = {*self.parameters, *map(_name, self._inputs)}
        found: dict[graph.Value, str] = {}
        for operation in self._outputs:
            value, name = operation.operand(0), _name(operation)
            if value is not None and value not in found and name not in taken:
                found[value] = name
                taken.add(name)
        return found

    # Operations -------------------------------------------------------------------------------

    def run(self) -> None:
        for name, operation in self.parameters.items():
            self._declare(operation, name, persistable=True)
        for operation in self._inputs:
            self._declare(operation, _name(operation))
        self._translate(self._outermost)
        self.obstacles += kernels.fit(self._out.blocks)

    def _declare(self, operation: graph.Operation, name: str, persistable: bool = False) -> None:
        value = operation.results[0]
        variable = legacy.tensor_variable(name, value.type)
        variable.persistable = persistable
        self._out.blocks[0].declare(variable)
        self._out.bind(value, (name,))

    def _translate(self, block: graph.PirBlock) -> None:
        for operation in block.operations:
            self._out.origin = operation.position
            try:
                self._operation(operation)
            except (ObstacleError, *_MALFORMED) as reason:
                told = reason if isinstance(reason, ObstacleError) else _NOT_OF_THIS_OPERATOR
                self.obstacles.append(f"{operation.position}: {told}")
                # What follows is still looked at, so that all obstacles are told at once.
                for value in operation.results:
                    self._out.define(value, "unknown")

    def _operation(self, operation: graph.Operation) -> None:
        name = operation.name
        if name == "builtin.parameter" or name in _INPUTS or name in _OUTPUTS:
            return
        if name == control_flow.YIELD:
            return
        if name in _CONTROL_FLOW:
            _CONTROL_FLOW[name](operation, self._out, self._translate)
            return
        if name.removeprefix("pd_op.") in ALWAYS_FLOAT32:
            _declare_types(operation)
        if _is_miscounted(operation) or any(one in self._miscounted for one in operation.operands):
            self._miscounted.update(operation.results)
            for value in operation.results:
                value.forget_sizes_of_none()
        elif _is_empty(operation):
            self._fill(operation)
            return
        write(operation, self._out, self._from_zero)

    def _fill(self, operation: graph.Operation) -> None:
        """Many kernels of 2.6 take no tensors without elements, whose numbers need none."""
        for value in operation.results:
            if value.uses:
                told = {"shape": [*value.type.dims], "dtype": graph.DataType(value.type.dtype)}
                target = self._out.define(value, "fill_constant")
                self._out.emit("fill_constant", {}, {"Out": target}, told, disposable=True)

    # The program ------------------------------------------------------------------------------

    def result(self) -> ConvertedProgram:
        blocks = self._out.blocks
        self._fetch()
        _prune(blocks, frozenset(map(_name, self._inputs)))
        control_flow.connect(blocks)
        self._feed()
        order = tuple(sorted(self.parameters))
        return ConvertedProgram(legacy.serialise(blocks), order, self._flags(order))

    def _fetch(self) -> None:
        out = self._out
        out.block.declare(legacy.Variable(_FETCH, "fetch_list", persistable=True))
        for column, operation in enumerate(self._outputs):
            value = operation.operand(0)
            if value is None:
                continue
            out.origin = operation.position
            name, wanted = out.name(value), _name(operation)
            if name != wanted:
                if wanted in out.block.variables:
                    wanted = out.fresh("fetch")
                out.block.declare(legacy.tensor_variable(wanted, value.type))
                out.emit("assign", {"X": name}, {"Out": wanted})
            out.emit("fetch", {"X": wanted}, {"Out": _FETCH}, {"col": column})

    def _feed(self) -> None:
        """Paddle writes the last input first, and jit.load turns that order round again."""
        block = self._out.blocks[0]
        block.declare(legacy.Variable(_FEED, "feed_minibatch", persistable=True))
        for column, operation in enumerate(self._inputs):
            slots = {"X": (_FEED,)}, {"Out": (_name(operation),)}
            feed, _ = legacy.make_operator("feed", *slots, {"col": column})
            if feed is not None:
                block.operators.insert(0, feed)

    def _flags(self, order: Sequence[str]) -> dict[str, dict[str, object]]:
        described: dict[str, dict[str, object]] = {}
        for name in order:
            flags = self.parameters[name].result_attributes
            described[name] = {
                "structured_name": name,
                "stop_gradient": bool(flags.get("stop_gradient", False)),
                "trainable": bool(flags.get("trainable", True)),
            }
        return described


def write(operation: graph.Operation, out: Emitter, from_zero: FromZero) -> None:
    """Writes what 2.6 has for an operation; ObstacleError where it has nothing."""
    conversion, in_place = find(operation.name)
    if conversion is None:
        raise ObstacleError("no legacy counterpart is known")
    if in_place and _read_later(operation):
        target = operation.operand(0)
        if target is not None:
            out.bind(operation.results[0], out.names(target))
    with counted_from_start(operation, out, from_zero):
        if isinstance(conversion, OperatorRule):
            apply(conversion, operation, out)
        else:
            conversion.check(operation)
            conversion.emit(operation, out)


def _name(operation: graph.Operation) -> str:
    for key in (_PARAMETER, "name", "output_name"):
        if isinstance(operation.attributes.get(key), str):
            name: str = operation.attributes[key]
            # A parameter is known by its name to the file of weights.
            return f"{name}.own" if name in _HOLDERS and key != _PARAMETER else name
    return ""


def _is_stored(parameter: graph.Operation) -> bool:
    """The dropout state of a recurrent layer is a parameter that no weights file holds."""
    return bool(parameter.result_attributes.get("persistable", True))


def _is_empty(operation: graph.Operation) -> bool:
    """Whether nothing that is read of it has an element, whatever is fed."""
    read = [value.type for value in operation.results if value.uses]
    return (
        operation.name.startswith("pd_op.")
        and operation.name not in _OVERWRITING
        and bool(read)
        and all(one.kind == "dense" and 0 in one.dims and -1 not in one.dims for one in read)
        and not any(value.is_vector for value in operation.results)
    )


def _declare_types(operation: graph.Operation) -> None:
    """The first result is of the operand's type, places and counts of that of the attribute."""
    source, places = operation.operand(0), operation.attributes.get("dtype")
    if source is None or not isinstance(places, graph.DataType):
        return
    for value in operation.results:
        value.declare(source.type.dtype if value.index == 0 else places.name)


def _is_miscounted(operation: graph.Operation) -> bool:
    """Whether the sizes that it declares were counted from one that is unknown."""
    source = operation.operand(0)
    counts = operation.name.removeprefix("pd_op.") in MISCOUNTING
    return counts and source is not None and -1 in source.type.dims


def _read_later(operation: graph.Operation) -> bool:
    """Whether an in-place operator's input is read after it has been overwritten."""
    target = operation.operand(0)
    if target is None:
        return False
    return any(
        use is not operation and (use.block is not operation.block or use.index > operation.index)
        for use in target.uses
    )


def _prune(blocks: Sequence[legacy.EmittedBlock], inputs: frozenset[str]) -> None:
    """Drops constants that ended up as attributes, and variables that nothing names any more but
    the feed of an input that nobody reads."""
    uses = Counter(
        name for block in blocks for operator in block.operators for name in operator.input_names()
    )
    for block in blocks:
        kept = []
        for operator in reversed(block.operators):
            if operator.disposable and not any(uses[name] for name in operator.output_names()):
                uses.subtract(operator.input_names())
            else:
                kept.append(operator)
        block.operators = kept[::-1]
    named = (
        set(uses)
        | inputs
        | {
            name
            for block in blocks
            for operator in block.operators
            for name in operator.output_names()
        }
    )
    for block in blocks:
        for name in [n for n, v in block.variables.items() if not v.persistable and n not in named]:
            del block.variables[name]
