"""Operators of complex numbers that 2.6 has no kernel for, by real and imaginary parts.

3.x computes `cumsum`, `gather`, `log` or `sqrt` of complex numbers, 2.6 does not: its kernels are
those of its table (protos.json). It has `real`, `imag`, `complex`, `abs` and `angle` of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from compatload.programs.pir_to_legacy.legacy import (
    EmittedBlock,
    EmittedOperator,
    Variable,
    made_operator,
)
from compatload.programs.pir_to_legacy.protos import DATA_TYPE_NUMBERS

PART: Mapping[str, str] = {"complex64": "float32", "complex128": "float64"}
# The result of the parts is the parts of the result.
_BY_PARTS = frozenset(
    {
        *("crop", "cumsum", "diag_v2", "fill_diagonal_tensor", "flatten_contiguous_range"),
        *("gather", "index_add", "masked_select", "meshgrid", "repeat_interleave"),
        *("repeat_interleave_with_tensor_index", "round", "scatter", "scatter_nd_add"),
        *("take_along_axis", "where"),
    }
)
_NO_NUMBERS = "XShape"


@dataclass
class _Parts:
    """What stands for one operator."""

    operator: EmittedOperator
    dtype: str
    block: EmittedBlock
    find: Callable[[str], Variable | None]
    made: list[EmittedOperator] = field(default_factory=list)

    @property
    def part(self) -> str:
        return PART[self.dtype]

    @property
    def result(self) -> str:
        """The operator's own; of those that are put together here each has one."""
        return next(iter(self.operator.output_names()))

    def emit(
        self,
        type_: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
        **attributes: object,
    ) -> None:
        """Appends an operator; LookupError where 2.6 has not got it."""
        read, written = _lists(inputs), _lists(outputs)
        origin = self.operator.origin
        self.made.append(made_operator(type_, read, written, attributes, origin))

    def place(self, hint: str, like: str, dtype: str) -> str:
        """A new variable of the sizes of another."""
        name = f"{like}.{hint}"
        while self.find(name) is not None:
            name += "_"
        dims = found.dims if (found := self.find(like)) is not None else (-1,)
        self.block.declare(Variable(name, dtype=dtype, dims=dims))
        return name

    def new(self, type_: str, x: str, dtype: str = "", **attributes: object) -> str:
        """The result of an operator of one tensor."""
        result = self.place(type_, x, dtype or self.part)
        self.emit(type_, {"X": x}, {"Out": result}, **attributes)
        return result

    def of_two(self, type_: str, x: str, y: str, dtype: str = "", like: str = "") -> str:
        """The result of an operator of two tensors, of the sizes of the operator's own."""
        result = self.place(type_, like or self.result, dtype or self.part)
        self.emit(type_, {"X": x, "Y": y}, {"Out": result})
        return result

    def join(self, real: str, imaginary: str) -> None:
        """The operator's own result, of its parts."""
        self.emit("complex", {"X": real, "Y": imaginary}, {"Out": self.result})

    def polar(self, logarithm: str, angle: str) -> None:
        """The operator's own result: of that natural logarithm of its modulus, and angle."""
        modulus = self.new("exp", logarithm)
        cosine, sine = self.new("cos", angle), self.new("sin", angle)
        self.join(
            self.of_two("elementwise_mul", modulus, cosine),
            self.of_two("elementwise_mul", modulus, sine),
        )


def _lists(slots: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {slot: (name,) for slot, name in slots.items()}


def in_parts(
    operator: EmittedOperator,
    dtype: str,
    block: EmittedBlock,
    find: Callable[[str], Variable | None],
) -> list[EmittedOperator]:
    """What computes the operator by 2.6's kernels.

    Args:
        dtype: the complex one of its input.
        find: the variable of a name, as the operator's block sees it.

    Raises:
        LookupError: Nothing here does.
    """
    steps = _Parts(operator, dtype, block, find)
    if operator.type in _BY_PARTS:
        _separately(steps)
    else:
        _FORMULAS[operator.type](steps)
    return steps.made


def _separately(steps: _Parts) -> None:
    results: dict[str, list[str]] = {}
    for part in ("real", "imag"):

        def inputs(name: str, part: str = part) -> str:
            variable = steps.find(name)
            is_complex = variable is not None and variable.dtype == steps.dtype
            return steps.new(part, name) if is_complex else name

        def outputs(name: str, slot: str, part: str = part) -> str:
            place = steps.place(part, name, steps.part)
            if slot != _NO_NUMBERS:
                results.setdefault(name, []).append(place)
            return place

        one = steps.operator
        read = {slot: tuple(map(inputs, names)) for slot, names in one.inputs.items()}
        written = {
            slot: tuple(outputs(name, slot) for name in names)
            for slot, names in one.outputs.items()
        }
        steps.made.append(replace(one, inputs=read, outputs=written))
    for name, (real, imaginary) in results.items():
        steps.emit("complex", {"X": real, "Y": imaginary}, {"Out": name})


def _x(steps: _Parts, slot: str = "X") -> str:
    return steps.operator.inputs[slot][0]


def _square(steps: _Parts) -> None:
    steps.emit("elementwise_mul", {"X": _x(steps), "Y": _x(steps)}, {"Out": steps.result})


def _reciprocal(steps: _Parts) -> None:
    x = _x(steps)
    ones = steps.new("fill_any_like", x, steps.dtype, value=1.0)
    steps.emit("elementwise_div", {"X": ones, "Y": x}, {"Out": steps.result})


def _logarithm_of(steps: _Parts, x: str) -> tuple[str, str]:
    """Real and imaginary part of the natural logarithm."""
    return steps.new("log", steps.new("abs", x)), steps.new("angle", x)


def _logarithm(base: float = math.e, more: float = 0.0) -> Callable[[_Parts], None]:
    def steps_of(steps: _Parts) -> None:
        x = _x(steps)
        if more:
            x = steps.new("scale", x, steps.dtype, scale=1.0, bias=more)
        real, imaginary = _logarithm_of(steps, x)
        if base != math.e:
            parts = (real, imaginary)
            real, imaginary = (steps.new("scale", one, scale=1 / math.log(base)) for one in parts)
        steps.join(real, imaginary)

    return steps_of


def _to_power(factor: float) -> Callable[[_Parts], None]:
    def steps_of(steps: _Parts) -> None:
        _raised(steps, _x(steps), factor)

    return steps_of


def _raised(steps: _Parts, x: str, factor: float) -> None:
    parts = _logarithm_of(steps, x)
    steps.polar(*(steps.new("scale", one, scale=factor) for one in parts))


def _pow(steps: _Parts) -> None:
    if steps.operator.inputs.get("FactorTensor"):
        raise LookupError("Paddle 2.6 has no kernel of pow by a computed power for complex numbers")
    _raised(steps, _x(steps), float(steps.operator.attributes["factor"][1]))


def _pow_of_two(steps: _Parts) -> None:
    """exp(y · log x); the logarithm of 0 is a number far below 0, so that 0 · log 0 is 0."""
    x, y = _x(steps), _x(steps, "Y")
    modulus = steps.new("abs", x)
    least = steps.new("fill_any_like", modulus, value=_LEAST)
    log = steps.new("log", steps.of_two("elementwise_max", modulus, least))
    angle = steps.new("angle", x)
    real, imaginary = steps.new("real", y), steps.new("imag", y)
    steps.polar(
        steps.of_two(
            "elementwise_sub",
            steps.of_two("elementwise_mul", log, real),
            steps.of_two("elementwise_mul", angle, imaginary),
        ),
        steps.of_two(
            "elementwise_add",
            steps.of_two("elementwise_mul", log, imaginary),
            steps.of_two("elementwise_mul", angle, real),
        ),
    )


def _sign(steps: _Parts) -> None:
    x = _x(steps)
    modulus = steps.new("abs", x)
    least = steps.new("fill_any_like", modulus, value=_LEAST)
    modulus = steps.of_two("elementwise_max", modulus, least)
    parts = (steps.new(part, x) for part in ("real", "imag"))
    steps.join(*(steps.of_two("elementwise_div", one, modulus) for one in parts))


def _of_each(joined: str) -> Callable[[_Parts], None]:
    """Flags of numbers, of the same of their parts."""

    def steps_of(steps: _Parts) -> None:
        one, flags = steps.operator, []
        for part in ("real", "imag"):
            flags.append(steps.place(one.type, steps.result, "bool"))
            read = {slot: steps.new(part, names[0]) for slot, names in one.inputs.items() if names}
            steps.emit(one.type, read, {"Out": flags[-1]})
        steps.emit(joined, dict(zip("XY", flags)), {"Out": steps.result})

    return steps_of


def _of_any(steps: _Parts) -> None:
    """`all` and `any` of complex numbers: whether each, or one, is not 0."""
    flags = steps.new("cast", steps.new("abs", _x(steps)), "bool", **_to("bool", steps.part))
    steps.made.append(replace(steps.operator, inputs={"X": (flags,)}))


def _frobenius_norm(steps: _Parts) -> None:
    """The root of the sum of the squares, which 3.x takes without a conjugate: it is complex."""
    x = _x(steps)
    squares = steps.of_two("elementwise_mul", x, x, steps.dtype, like=x)
    total = steps.place("reduce_sum", steps.result, steps.dtype)
    told = {name: steps.operator.attributes[name][1] for name in ("dim", "keep_dim", "reduce_all")}
    steps.emit("reduce_sum", {"X": squares}, {"Out": total}, **told)
    _raised(steps, total, 0.5)


def _cross(steps: _Parts) -> None:
    """It is linear in both: real · real − imaginary · imaginary, and the mixed ones."""
    x, y = ([steps.new(part, _x(steps, slot)) for part in ("real", "imag")] for slot in "XY")

    def product(left: str, right: str) -> str:
        result = steps.place("cross", steps.result, steps.part)
        inputs, outputs = _lists({"X": left, "Y": right}), _lists({"Out": result})
        steps.made.append(replace(steps.operator, inputs=inputs, outputs=outputs))
        return result

    steps.join(
        steps.of_two("elementwise_sub", product(x[0], y[0]), product(x[1], y[1])),
        steps.of_two("elementwise_add", product(x[0], y[1]), product(x[1], y[0])),
    )


def _to(new: str, old: str) -> dict[str, int]:
    return {"in_dtype": DATA_TYPE_NUMBERS[old], "out_dtype": DATA_TYPE_NUMBERS[new]}


# It has a logarithm and a reciprocal in both dtypes.
_LEAST = 1e-37
_FORMULAS: Mapping[str, Callable[[_Parts], None]] = {
    "cross": _cross,
    "elementwise_pow": _pow_of_two,
    "frobenius_norm": _frobenius_norm,
    "equal": _of_each("logical_and"),
    "isfinite_v2": _of_each("logical_and"),
    "isinf_v2": _of_each("logical_or"),
    "isnan_v2": _of_each("logical_or"),
    "log": _logarithm(),
    "log10": _logarithm(10.0),
    "log1p": _logarithm(more=1.0),
    "log2": _logarithm(2.0),
    "not_equal": _of_each("logical_or"),
    "pow": _pow,
    "reciprocal": _reciprocal,
    "reduce_all": _of_any,
    "reduce_any": _of_any,
    "rsqrt": _to_power(-0.5),
    "sign": _sign,
    "sqrt": _to_power(0.5),
    "square": _square,
}
COMPUTED: frozenset[str] = _BY_PARTS | _FORMULAS.keys()
