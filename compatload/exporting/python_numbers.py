"""What Python counts with, for numbers that a program knows only when it runs.

The code of a model counts with sizes as Python does: ``int(n * 0.7)``, ``math.ceil(n / 32)``,
``min(n, 10)``. In a program a free size is a Tensor. Paddle multiplies it as a float32, so that
``int(90 * 0.7)`` is 63 and not 62, without an error (CL439); Python's own functions ask it for a
number that it does not have (CL429), or whether it is true (CL440), to which 2.6 says yes. Here
sizes are counted in double precision, as Python's are, and those functions are written with what a
program has.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from types import GeneratorType
from typing import Any

from compatload.exporting.numpy_functions import (
    arrays_are_values,
    as_tensor,
    half_to_even,
    is_whole,
    numpy_functions,
)
from compatload.exporting.replacing import (
    bound,
    is_list,
    is_value,
    methods_replaced,
    replaced,
    values_of,
)
from compatload.frozen import frozen
from compatload.operators.decimals import as_float32

TOLD = (
    "functions of Python that ask for a number (min, max, round, math.ceil …) are written for "
    "Tensors and free sizes (CL429, CL440)"
)
EXACT = (
    "what is made of free sizes and fractions is counted in double precision, as Python counts; "
    "Paddle counts in single precision, where int(90 * 0.7) is 63 (CL439)"
)
ARRAYS = "functions of numpy on Tensors are written as functions of Paddle (CL412)"
_Compute = Callable[..., Any]
_POWER_OF_TWO = 0.5  # the fraction that math.frexp gives of one
_BINARY: Mapping[str, _Compute] = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
}

_OF_BITS = ("__and__", "__or__", "__xor__", "__rand__", "__ror__", "__rxor__")
_COMPARING: Mapping[str, _Compute] = {
    name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")
}


@frozen
class _Number:
    """A value of a program that is made of sizes, kept, or another might take its identity;
    ``exact`` computes it in double precision, and ``rounded`` says whether single precision may
    give another whole number."""

    value: Any
    exact: Callable[[], Any]
    rounded: bool


class PythonNumbers:
    """In the scope, in any thread, programs that are made count as Python does."""

    def __init__(self) -> None:
        self._known: dict[int, _Number] = {}  # by the identity of its value
        self._told: set[str] = set()

    def told(self) -> tuple[str, ...]:
        """What was written otherwise, in words."""
        return tuple(one for one in (TOLD, EXACT, ARRAYS) if one in self._told)

    def __enter__(self) -> None:
        from paddle.jit import dy2static

        self._scope = scope = ExitStack()
        scope.enter_context(arrays_are_values())
        plain = dy2static.utils.is_builtin
        scope.enter_context(replaced({plain: bound(_is_left, plain)}))
        for name, other in (
            *(("Shape", self._shape), ("Len", self._size_of), ("Call", self._call)),
            ("AsDtype", self._as_type),
        ):
            plain = getattr(dy2static, name)
            setattr(dy2static, name, bound(other, plain))
            scope.callback(setattr, dy2static, name, plain)
        scope.enter_context(methods_replaced(self._operators()))

    def _operators(self) -> dict[str, _Compute]:
        counted = {
            form: functools.partial(self._counted, compute, turned)
            for name, compute in _BINARY.items()
            for form, turned in ((f"__{name}__", False), (f"__r{name}__", True))
        }
        compared = {
            f"__{name}__": functools.partial(self._compared, compute)
            for name, compute in _COMPARING.items()
        }
        of_bits = dict.fromkeys(_OF_BITS, _with_bits)
        return {**counted, **compared, **of_bits, "__neg__": self._negated}

    def __exit__(self, *_: object) -> None:
        self._scope.close()
        self._known.clear()

    def _shape(self, plain: _Compute, value: Any) -> Any:
        sizes = plain(value)
        if is_value(value):
            for size in filter(is_value, sizes):
                self._note_size(size)
        return sizes

    def _size_of(self, plain: _Compute, value: Any) -> Any:
        size = plain(value)
        return self._note_size(size) if is_value(value) and is_value(size) else size

    def _note(self, value: Any, exact: Callable[[], Any], *, rounded: bool) -> Any:
        self._known[id(value)] = _Number(value, exact, rounded)
        return value

    def _note_size(self, size: Any) -> Any:
        return self._note(size, functools.partial(_double, size), rounded=False)

    def _is_rounded(self, one: Any) -> bool:
        return id(one) in self._known and self._known[id(one)].rounded

    def _counted(
        self, compute: _Compute, turned: bool, plain: _Compute, value: Any, other: Any
    ) -> Any:
        """An operation, of which it is remembered how Python would count if it is of a size. Of an
        array of numpy, which ends the process, it is one of a Tensor."""
        result = plain(value, as_tensor(other))
        if id(value) not in self._known or not is_value(result):
            return result
        if not (id(other) in self._known or type(other) in (int, float)):
            return result
        if is_whole(result):
            return self._note_size(result)

        def exact() -> Any:
            one, two = self.exact(value), self.exact(other)
            return compute(two, one) if turned else compute(one, two)

        return self._note(result, exact, rounded=self._rounds(compute, value, other))

    def _compared(self, compute: _Compute, plain: _Compute, value: Any, other: Any) -> Any:
        """``n * 0.1 > 0.3`` is true of 3 in double precision, and false in single precision."""
        are_numbers = id(other) in self._known or type(other) in (int, float)
        if not are_numbers or not (self._is_rounded(value) or self._is_rounded(other)):
            return plain(value, other)
        self._told.add(EXACT)
        return compute(self.exact(value), self.exact(other))

    def _negated(self, plain: _Compute, value: Any) -> Any:
        result = plain(value)
        if id(value) not in self._known:
            return result
        return self._note(result, lambda: -self.exact(value), rounded=self._is_rounded(value))

    def _rounds(self, compute: _Compute, value: Any, other: Any) -> bool:
        """Whether single precision may give another whole number than double precision."""
        if self._is_rounded(value) or self._is_rounded(other):
            return True
        if is_value(other):
            return not (is_whole(value) and is_whole(other))
        if isinstance(other, float) and as_float32(other) != other:
            return True
        scales = compute in (operator.mul, operator.truediv, operator.pow)
        return scales and not is_whole(value) and abs(math.frexp(other)[0]) != _POWER_OF_TWO

    def exact(self, one: Any) -> Any:
        """The number as Python has it: a double."""
        if id(one) in self._known:
            return self._known[id(one)].exact()
        if is_value(one):
            return _double(one)
        import paddle

        # A number beside a Tensor would become the scale of an operator, which is a float32.
        return paddle.full([], one, "float64")

    def _as_type(self, plain: _Compute, value: Any, dtype: str) -> Any:
        """``int(value)`` and ``float(value)``."""
        if id(value) not in self._known or dtype not in ("int", "float"):
            return plain(value, dtype)
        rounded = self._is_rounded(value)
        if dtype == "float":
            exact = functools.partial(self.exact, value)
            return self._note(plain(value, dtype), exact, rounded=rounded)
        if not rounded:
            return self._note_size(plain(value, dtype))
        self._told.add(EXACT)
        return self.whole(self.exact(value), "int32")

    def _counts_with(self, function: Any, given: Iterable[Any]) -> bool:
        """Whether a function asks about numbers here: those of numpy take any array as well."""
        if function in numpy_functions():
            return any(id(one) in self._known for one in given)
        return function in _OF_ALL or not any(map(_is_matrix, given))

    def kind_of(self, value: Any) -> type | None:
        """Of the number that it stands for in the code of a model, if it is made of sizes."""
        if id(value) not in self._known:
            return None
        return int if is_whole(value) else float

    def whole(self, exact: Any, dtype: str = "int64") -> Any:
        """Cut to a whole number, which is a size again."""
        return self._note_size(exact.astype(dtype))

    def fraction(self, exact: Callable[[], Any]) -> Any:
        """As other Tensors of a program are, so that what is computed with it has their type."""
        return self._note(exact().astype("float32"), exact, rounded=True)

    def _call(self, plain: _Compute, function: Any) -> Any:
        other, of_arrays = _written_for(function)
        if other is None and of_arrays is None:
            return plain(function)

        @functools.wraps(function, assigned=("__name__", "__doc__"), updated=())
        def call(*given: Any, **named: Any) -> Any:
            if given and isinstance(given[0], (GeneratorType, map, filter, zip)):
                given = (list(given[0]), *given[1:])
            if not any(map(_holds_value, (*given, *named.values()))):
                return function(*given, **named)
            written = NotImplemented
            if other is not None and not named and self._counts_with(function, given):
                written = other(self, *given)
            if written is NotImplemented and of_arrays is not None:
                written = of_arrays(*given, **named)
                self._told.add(ARRAYS)
            if written is NotImplemented:
                return function(*given, **named)
            if function is not isinstance:
                self._told.add(TOLD)
            return written

        return call


def _is_left(plain: _Compute, function: Any, *name: Any) -> bool:
    """Whether Paddle leaves it in converted code as it is: what is written here is called through
    what converts calls."""
    return plain(function, *name) and (bool(name) or _written_for(function) == (None, None))


def _written_for(function: Any) -> tuple[_Compute | None, _Compute | None]:
    """What counts with numbers in its place, and what computes with arrays."""
    try:
        return _functions().get(function), numpy_functions().get(function)
    except TypeError:  # it has no hash
        return None, None


def _holds_value(one: Any) -> bool:
    return is_value(one) or (isinstance(one, (list, tuple)) and any(map(is_value, one)))


def _is_matrix(one: Any) -> bool:
    return is_value(one) and len(one.shape) > 1


# What is asked of any Tensor, or of a list of them.
_OF_ALL = (isinstance, list, sum, tuple)


def _with_bits(plain: _Compute, value: Any, other: Any) -> Any:
    """``n & 1``: Paddle takes no number there."""
    import paddle

    return plain(value, paddle.full([], other, value.dtype) if type(other) is int else other)


def _double(value: Any) -> Any:
    return value.astype("float64")


def _of_one_type(values: Iterable[Any]) -> list[Any]:
    """Values and numbers as values of the type that Python's result has."""

    values = list(values)
    whole = all(is_whole(one) if is_value(one) else isinstance(one, int) for one in values)
    known = [one.dtype for one in values if is_value(one) and (whole or not is_whole(one))]
    dtype = known[0] if known else "float32"
    return values_of(values, dtype)


def _extreme(name: str) -> _Compute:
    def find(numbers: PythonNumbers, *given: Any) -> Any:
        import paddle

        values = given if len(given) > 1 else given[0]
        if is_value(values) or not values:
            return NotImplemented
        if any(is_value(one) and len(one.shape) > 0 for one in values):
            return NotImplemented
        compute = getattr(paddle, name)
        found = functools.reduce(compute, _of_one_type(values))
        if is_whole(found):
            return numbers.whole(found, found.dtype)
        return found

    return find


def _truth(name: str) -> _Compute:
    def find(numbers: PythonNumbers, values: Any) -> Any:
        import paddle

        if is_value(values):
            return NotImplemented
        compute = getattr(paddle, name)
        return functools.reduce(
            compute,
            [
                one.astype("bool") if is_value(one) else paddle.full([], bool(one), "bool")
                for one in values
            ],
        )

    return find


def _round(numbers: PythonNumbers, value: Any, digits: Any = None) -> Any:
    """To the nearest whole number, and of two to the even one."""
    if digits is not None:
        return NotImplemented
    return numbers.whole(half_to_even(numbers.exact(value)))


def _divmod(numbers: PythonNumbers, value: Any, other: Any) -> Any:
    return value // other, value % other


def _reversed(numbers: PythonNumbers, value: Any) -> Any:
    import paddle

    return paddle.flip(value, [0]) if is_value(value) else NotImplemented


def _sorted(numbers: PythonNumbers, values: Any) -> Any:
    import paddle

    if is_value(values) or any(is_value(one) and len(one.shape) > 0 for one in values):
        return NotImplemented
    whole = paddle.sort(paddle.stack(_of_one_type(values)))
    parts = paddle.unstack(whole, num=len(values))
    return [numbers.whole(one, one.dtype) if is_whole(one) else one for one in parts]


def _listed(numbers: PythonNumbers, values: Any) -> Any:
    """A list that a loop grows is one value of a program: Python would ask for parts for ever."""
    return values if is_list(values) else NotImplemented


def _sum(numbers: PythonNumbers, values: Any, *start: Any) -> Any:
    """Of a list that a branch or a loop grows, which is one value of a program."""
    if not is_list(values):
        return NotImplemented
    import paddle

    total = paddle.stack(values).sum(0)
    return total + start[0] if start else total


def _is_instance(numbers: PythonNumbers, value: Any, kinds: Any) -> Any:
    """What stands for a Tensor in a program is one to the code of a model (CL428)."""
    import paddle

    if not is_value(value):
        return isinstance(value, kinds)
    known = kinds if isinstance(kinds, tuple) else (kinds,)
    number = numbers.kind_of(value)
    if number is not None and isinstance(number(), kinds):
        return True
    return isinstance(value, kinds) or paddle.Tensor in known


def _to_whole(name: str) -> _Compute:
    def cut(numbers: PythonNumbers, value: Any) -> Any:
        import paddle

        return numbers.whole(getattr(paddle, name)(numbers.exact(value)))

    return cut


def _to_fraction(name: str) -> _Compute:
    def compute(numbers: PythonNumbers, value: Any) -> Any:
        import paddle

        return numbers.fraction(lambda: getattr(paddle, name)(numbers.exact(value)))

    return compute


def _log(numbers: PythonNumbers, value: Any, base: Any = None) -> Any:
    import paddle

    def exact() -> Any:
        found = paddle.log(numbers.exact(value))
        return found if base is None else found / math.log(base)

    return NotImplemented if is_value(base) else numbers.fraction(exact)


def _power(numbers: PythonNumbers, value: Any, power: Any) -> Any:
    import paddle

    if not is_value(value):
        return NotImplemented
    return numbers.fraction(lambda: paddle.pow(numbers.exact(value), numbers.exact(power)))


@functools.cache
def _functions() -> Mapping[Any, _Compute]:
    """Of Python and numpy, and how each is written in a program; it is given the numbers first."""
    import numpy

    roots = ("sqrt", "exp", "log2", "log10", "sin", "cos", "tan")
    return {
        builtins.min: _extreme("minimum"),
        builtins.max: _extreme("maximum"),
        builtins.any: _truth("logical_or"),
        builtins.all: _truth("logical_and"),
        builtins.round: _round,
        builtins.divmod: _divmod,
        builtins.reversed: _reversed,
        builtins.sorted: _sorted,
        builtins.list: _listed,
        builtins.tuple: _listed,
        builtins.sum: _sum,
        builtins.isinstance: _is_instance,
        **{getattr(math, name): _to_whole(name) for name in ("floor", "ceil", "trunc")},
        **{getattr(numpy, name): _to_fraction(name) for name in ("floor", "ceil", "trunc")},
        **{getattr(math, name): _to_fraction(name) for name in roots},
        **{getattr(numpy, name): _to_fraction(name) for name in roots},
        math.fabs: _to_fraction("abs"),
        math.log: _log,
        numpy.log: _log,
        math.pow: _power,
    }
