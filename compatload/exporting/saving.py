"""``paddle.jit.save``, and once more without what stands in its way."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from compatload.artifact.model import Artifact, Format
from compatload.exporting.arguments import Arguments, places_named
from compatload.exporting.called_code import CalledCode
from compatload.exporting.declared_results import DeclaredResults
from compatload.exporting.guards import Guard, guard_of_error, left_out
from compatload.exporting.outside_tensors import TOLD, registered, tensor_of
from compatload.exporting.python_numbers import PythonNumbers
from compatload.exporting.replacing import value_classes
from compatload.exporting.traced import nothing_noted
from compatload.frozen import frozen
from compatload.programs.legacy_repairs import output_order

_UNUSED_BY_NAME = re.compile(r"feeded_var_names\[\d+\]: '(?P<name>[^']+)' doesn't exist")
_UNUSED = "is not involved in the target_vars"
# Conversions of one layer: each finds one guard, or the inputs that nothing uses.
_MOST = 50
_ENDLESS = "iteration over a Tensor of a program whose first dimension is free"


@frozen
class Saving:
    """What was left out of the program, in words; ``doubt`` is what Paddle said of inputs that it
    found without use: where the program is wrong, that says why."""

    told: tuple[str, ...]
    doubt: Exception | None = None


def saved(
    layer: Any,
    prefix: str,
    input_spec: Sequence[Any] | None,
    arguments: Arguments,
    configs: Mapping[str, Any],
) -> Saving:
    """Save. Attributes that conversion puts into the layer are as they were afterwards.

    Raises whatever ``paddle.jit.save`` raises where leaving out does not help.
    """
    import paddle

    guards: list[Guard] = []
    unused: list[str] = []
    outside: list[Any] = []
    numbers, called, declared = PythonNumbers(), CalledCode(), DeclaredResults()
    doubt: Exception | None = None
    for _ in range(_MOST):
        try:
            with ExitStack() as scope:
                scope.enter_context(nothing_noted())
                scope.enter_context(attributes_kept(layer))
                registered(layer, outside)
                scope.enter_context(left_out(guards))
                for other in (numbers, called, declared, _iterations_end(), places_named()):
                    scope.enter_context(other)
                if not unused:
                    paddle.jit.save(layer, prefix, input_spec=input_spec, **configs)
                else:
                    _save_pruned(layer, prefix, arguments, unused, configs)
            break
        except Exception as error:
            tensor = tensor_of(error, layer)
            guard = guard_of_error(error, guards)
            names = _unused_in(error, layer, arguments, unused) if guard is None else ()
            if tensor is not None and not any(tensor is one for one in outside):
                outside.append(tensor)
            elif guard is not None:
                guards.append(guard)
            elif names:
                unused += names
                doubt = error
            elif called.has_partials and not called.converts_partials:
                called.converts_partials = True
            else:
                raise
    told = [*map(_guard_told, guards), *map(_unused_told, unused)]
    told += [TOLD] if outside else []
    told += [*called.told(), *numbers.told(), *declared.told()]
    return Saving(tuple(told), doubt)


@contextmanager
def _iterations_end() -> Iterator[None]:
    """Python asks what stands for a Tensor for one part after the other, and never hears that there
    is none: in a comprehension, in ``list`` and in ``sum``, which are not converted (CL433)."""
    with ExitStack() as scope:
        for holder in value_classes():
            if not hasattr(holder, "__iter__"):
                holder.__iter__ = _parts
                scope.callback(delattr, holder, "__iter__")
        yield


def _parts(value: Any) -> Iterator[Any]:
    sizes = list(value.shape)
    if not sizes or int(sizes[0]) < 0:
        raise TypeError(f"{_ENDLESS} (shape {[int(size) for size in sizes]})")
    return (value[place] for place in range(sizes[0]))


def _guard_told(guard: Guard) -> str:
    return (
        f"left out of the program: the guard at {guard.place}, which only raises or warns: it was "
        "tried on the samples, and nothing asks it any more"
    )


def _unused_told(name: str) -> str:
    return f"no input of the program: {name}, on which no output depends (CL452)"


def _unused_in(
    error: BaseException, layer: Any, arguments: Arguments, known: Sequence[str]
) -> tuple[str, ...]:
    """Names of inputs that no output depends on, from what Paddle says, or from its program."""
    own = {str(shape.name) for shape in arguments.inputs}
    match = _UNUSED_BY_NAME.search(str(error))
    if match:
        found = {match["name"]}
    elif _UNUSED in str(error):
        with attributes_kept(layer), _converted(layer, arguments) as (_, function):
            found = _without_use(function.concrete_program)
    else:
        return ()
    found = (found & own) - set(known)
    return tuple(sorted(found)) if len(found) + len(known) < len(own) else ()


def _save_pruned(
    layer: Any,
    prefix: str,
    arguments: Arguments,
    unused: Collection[str],
    configs: Mapping[str, Any],
) -> None:
    """A specification beside that of a converted function says which of its inputs stay."""
    import paddle
    from paddle.static import InputSpec

    stay = [
        InputSpec(list(shape.shape), shape.dtype, shape.name)
        for shape in arguments.inputs
        if shape.name not in unused
    ]
    with _converted(layer, arguments) as (subject, _):
        paddle.jit.save(subject, prefix, input_spec=stay, **configs)


@contextmanager
def _converted(layer: Any, arguments: Arguments) -> Iterator[tuple[Any, Any]]:
    """The layer with a ``forward`` that is converted for these arguments, and that function."""
    import paddle

    plain = getattr(layer, "forward", layer)
    plain = getattr(plain, "dygraph_function", plain)
    function = paddle.jit.to_static(plain, input_spec=arguments.spec, full_graph=True)
    if not hasattr(layer, "sublayers"):
        yield function, function
        return
    before = vars(layer).get("forward")
    vars(layer)["forward"] = function
    try:
        yield layer, function
    finally:
        del vars(layer)["forward"]
        if before is not None:
            vars(layer)["forward"] = before


def _without_use(concrete: Any) -> set[str]:
    """Names of the inputs of a PIR program from which no way leads to an output."""
    from paddle.autograd.backward_utils import ValueSet
    from paddle.static.pir_io import get_real_op_inputs, get_real_op_outputs, some_in_set

    needed = ValueSet(concrete.outputs)
    unused = set()
    for op in reversed(concrete.main_program.global_block().ops):
        if some_in_set(get_real_op_outputs(op), needed):
            for value in get_real_op_inputs(op):
                needed.add(value)
        elif op.name() == "pd_op.data":
            unused.add(str(op.attrs()["name"]))
    return unused


def attributes_of(layer: Any) -> list[dict[str, Any]]:
    """Those of a layer and of its parts, and the dicts among them."""
    parts = layer.sublayers(include_self=True) if hasattr(layer, "sublayers") else []
    held = [vars(part) for part in parts]
    return held + [value for one in held for value in one.values() if isinstance(value, dict)]


@contextmanager
def attributes_kept(layer: Any) -> Iterator[None]:
    """The attributes of a layer and of its parts as they were: code that keeps a Tensor for the
    next call keeps one of a program while that program is made."""
    held = attributes_of(layer)
    lists = [value for one in held for value in one.values() if isinstance(value, list)]
    before = [(one, dict(one)) for one in held]
    contents = [(one, list(one)) for one in lists]
    try:
        yield
    finally:
        for one, known in before:
            for name in one.keys() - known.keys():
                del one[name]
            one.update(
                (name, value) for name, value in known.items() if one.get(name, one) is not value
            )
        for kept, content in contents:
            kept[:] = content


def outputs_in_order(artifact: Artifact) -> tuple[str, ...]:
    """Programs of 2.6 whose outputs its own ``paddle.jit.load`` would give in another order are
    written anew; what was done, in words."""
    parts = {"forward": artifact, **artifact.method_artifacts}
    mixed = [
        name
        for name, part in parts.items()
        if part.format is Format.LEGACY and output_order.is_mixed(part.outputs)
    ]
    for name in mixed:
        Path(parts[name].files.program).write_bytes(output_order.ordered(parts[name].program_bytes))
    if not mixed:
        return ()
    names = ", ".join(sorted(mixed))
    return (
        f"outputs of {names} in their order for paddle.jit.load of 2.6, too ({output_order.RULE})",
    )


def native_format() -> str:
    """What ``paddle.jit.save`` writes here: since 3.0 a flag at import decides."""
    import paddle

    asks = getattr(paddle.framework, "use_pir_api", None)
    return "pir" if asks is not None and asks() else "legacy"
