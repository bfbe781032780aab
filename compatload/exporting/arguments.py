"""What the methods of a layer are called with: specifications as ``paddle.jit.save`` takes them,
nested lists and dicts and Python values among them, and arrays in the places of their Tensors."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.trials.sampling import InputShape


@frozen
class Arguments:
    """Positional arguments of one method.

    Args:
        method: ``forward``, or the name of a further method; ``forward`` of a plain function.
        spec: a list in which an ``InputSpec`` stands for every Tensor.
        inputs: those Tensors, in the order in which Paddle feeds them.
    """

    method: str
    spec: list[Any]
    inputs: tuple[InputShape, ...]

    def filled(self, arrays: Sequence[Any]) -> list[Any]:
        """The arguments with Tensors made of arrays."""
        import paddle

        rest = iter(arrays)
        leaves = [
            paddle.to_tensor(next(rest)) if _is_spec(leaf) else leaf
            for leaf in paddle.utils.flatten(self.spec)
        ]
        filled: list[Any] = paddle.utils.pack_sequence_as(self.spec, leaves)
        return filled

    def named(self, names: Sequence[str]) -> tuple[int, ...]:
        """Which of the inputs a saved program with inputs of these names still has."""
        own = [shape.name for shape in self.inputs]
        if len(names) == len(own) or not set(names) <= set(own):
            return tuple(range(len(own)))
        return tuple(own.index(name) for name in names)


@contextmanager
def places_named() -> Iterator[None]:
    """Within the scope, in any thread, Paddle knows what a method takes. What ``forward(*args)``
    takes has a name for each place of its specification: Paddle says that it takes fewer arguments
    (CL430). And the layer that a method is called on is none of them: Paddle tells it by the name
    ``self``, and asks for one specification more where it bears another."""
    from paddle.jit.dy2static.function_spec import FunctionSpec

    plain = FunctionSpec.__init__

    def start(self: Any, function: Any, input_spec: Any = None) -> None:
        plain(self, function, input_spec)
        names = inspect.getfullargspec(function).args
        if inspect.ismethod(function) and names[:1] == self._arg_names[:1] != []:
            self._arg_names = self._arg_names[1:]
        if self.varargs_name is not None and isinstance(input_spec, (list, tuple)):
            places = range(len(self._arg_names), len(input_spec))
            self._arg_names = [*self._arg_names, *(f"{self.varargs_name}_{n}" for n in places)]

    FunctionSpec.__init__ = start
    try:
        yield
    finally:
        FunctionSpec.__init__ = plain


def require_savable(layer: Any) -> None:
    """Raises UsageError for what ``paddle.jit.save`` does not take."""
    from paddle.nn import Layer

    if isinstance(layer, Layer) or inspect.isfunction(layer) or _is_converted(layer):
        return
    raise UsageError(
        f"a {type(layer).__name__} is neither a Layer nor a function.",
        action="Save a Layer, or a function (def …) that calls it.",
    )


def is_traced(layer: Any) -> bool:
    """Whether it was converted by the symbolic tracer, whose fragments are no program."""
    from paddle.jit.dy2static.program_translator import SymbolicStaticFunction

    return isinstance(getattr(layer, "forward", layer), SymbolicStaticFunction)


def arguments_of(
    layer: Any, input_spec: Sequence[Any] | None, given: Sequence[Any] | Mapping[str, Any] | None
) -> Arguments:
    """Of ``forward``, or of a function: from its own specification, the caller's, or samples.

    Raises:
        UsageError: nothing says what the inputs are, or something that is no specification does.
    """
    function = getattr(layer, "forward", layer)
    spec = _own_spec(function)
    if spec is None:
        spec = None if input_spec is None else list(input_spec)
    if spec is None and given is not None and not isinstance(given, Mapping):
        spec = list(given)
    if spec is None:
        raise UsageError(
            "nothing says what the inputs of the layer are.",
            action="Pass input_spec=[paddle.static.InputSpec(shape, dtype), …].",
        )
    return _arguments("forward", function, spec)


def further_arguments(layer: Any) -> tuple[Arguments, ...]:
    """Of the further methods that are saved: converted ones with a specification of their own."""
    if not hasattr(layer, "sublayers"):
        return ()
    found = []
    for name in sorted(set(dir(type(layer))) | set(vars(layer))):
        if name == "forward" or isinstance(getattr(type(layer), name, None), property):
            continue
        method = getattr(layer, name, None)
        if _is_converted(method) and not getattr(method, "is_property", False):
            spec = _own_spec(method)
            if spec is not None:
                found.append(_arguments(name, method, spec))
    return tuple(found)


def flat_arrays(arguments: Arguments, given: Sequence[Any] | Mapping[str, Any]) -> tuple[Any, ...]:
    """Sample inputs of a caller, nested as the specification or by name, as arrays.

    Raises:
        UsageError: they are others than the specification asks for.
    """
    import paddle

    if isinstance(given, Mapping):
        named = [shape.name for shape in arguments.inputs]
        if set(given) != set(named):
            raise UsageError(
                f"sample_inputs are named {', '.join(map(str, given))}, and the inputs "
                f"{', '.join(map(str, named))}.",
                action="Give one array for each, by these names.",
            )
        return tuple(_array(given[str(name)]) for name in named)
    leaves = paddle.utils.flatten(list(given))
    wanted = paddle.utils.flatten(arguments.spec)
    if len(leaves) == len(arguments.inputs):
        return tuple(_array(leaf) for leaf in leaves)
    if len(leaves) != len(wanted):
        raise UsageError(
            f"sample_inputs hold {len(leaves)} values, and input_spec {len(wanted)}.",
            action="Give one array for each, nested as input_spec is, or a dict by their names.",
        )
    return tuple(_array(a) for a, b in zip(leaves, wanted) if _is_spec(b))


@contextmanager
def eager() -> Iterator[None]:
    """What ``to_static`` converted runs as the Python that it was, for the scope."""
    import paddle
    from paddle.jit.dy2static.program_translator import ProgramTranslator

    before = ProgramTranslator().enable_to_static
    paddle.jit.enable_to_static(False)
    try:
        yield
    finally:
        paddle.jit.enable_to_static(before)


def _arguments(method: str, function: Any, spec: Sequence[Any]) -> Arguments:
    import paddle

    whole = paddle.utils.map_structure(_as_spec, list(spec))
    named = _named(function, whole)
    inputs = [_shape(leaf) for leaf in paddle.utils.flatten(named) if _is_spec(leaf)]
    return Arguments(method, whole, tuple(inputs))


def _as_spec(leaf: Any) -> Any:
    import numpy
    import paddle

    if isinstance(leaf, (paddle.Tensor, numpy.ndarray)):
        return paddle.static.InputSpec(list(leaf.shape), _dtype(leaf.dtype))
    if isinstance(leaf, type):
        raise UsageError(
            f"input_spec holds {leaf!r}, which is no Tensor's specification.",
            action="Put a value there, or leave that argument its default.",
        )
    return leaf


def _named(function: Any, spec: list[Any]) -> list[Any]:
    """With the names that Paddle gives to inputs without any, from the function's parameters."""
    from paddle.jit.dy2static.function_spec import replace_spec_empty_name

    function = getattr(function, "dygraph_function", function)
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return spec
    return list(replace_spec_empty_name(parameters, copy.deepcopy(spec)))


def _is_spec(leaf: Any) -> bool:
    from paddle.static import InputSpec

    return isinstance(leaf, InputSpec)


def _shape(leaf: Any) -> InputShape:
    sizes = tuple(-1 if size is None else int(size) for size in leaf.shape)
    return InputShape(leaf.name, _dtype(leaf.dtype), sizes)


def _dtype(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def _own_spec(function: Any) -> list[Any] | None:
    """The specification that a converted function was given."""
    spec = getattr(getattr(function, "_function_spec", None), "input_spec", None)
    return None if spec is None else list(spec)


def _is_converted(function: Any) -> bool:
    from paddle.jit.dy2static.program_translator import StaticFunction

    return isinstance(function, StaticFunction)


def _array(value: Any) -> Any:
    import numpy

    return value.numpy() if hasattr(value, "numpy") else numpy.asarray(value)
