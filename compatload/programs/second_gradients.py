"""Gradients of gradients, by the operators that every release has.

2.6 writes ``tanh_grad_grad`` and 3.x ``tanh_double_grad``, neither reads the other's, and the
translator of 3.x knows few of them (CL180). What they compute stands here once, by the names of
PIR: of ``y = f(x)``, ``grad_out`` comes from behind, ``grad_x = grad_out * f'(x)`` was made of it,
and ``grad_x_grad`` is the gradient of that. Pure, and of no format: a format says how a step is
written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Callable, Protocol

Operands = Mapping[str, str]
Attributes = Mapping[str, Any]


class Steps(Protocol):
    """How operators are written. Names are variables; ``like`` is one of the result's shape."""

    def new(self, kind: str, like: str, inputs: Operands, **attributes: Any) -> str:
        """The result ``Out`` of an operator."""
        ...  # pragma: no cover

    def gradient(self, kind: str, like: str, inputs: Operands, slot: str, **attributes: Any) -> str:
        """The gradient of one input, by its slot, of ``X`` and ``Y``."""
        ...  # pragma: no cover


Result = Callable[[], str]
# The results that an operator has, each made when it is asked for.
Formula = Callable[[Steps, Operands, Attributes], Mapping[str, Result]]
# A slope and what it bends by, of an operand; a slope alone.
_Curve = Callable[[Steps, str, Attributes], tuple[Result, Result]]
_Slope = Callable[[Steps, str, Attributes], str]

_NARROWEST = 15.0  # below such a threshold a softplus is seen to end


def _product(steps: Steps, *factors: str) -> str:
    first, *others = factors
    for other in others:
        first = steps.new("elementwise_mul", first, {"X": first, "Y": other}, axis=-1)
    return first


def _scaled(steps: Steps, source: str, factor: float, more: float = 0.0) -> str:
    told = {"scale": factor, "bias": more, "bias_after_scale": True}
    return steps.new("scale", source, {"X": source}, **told)


def _of(steps: Steps, kind: str, source: str, **attributes: Any) -> str:
    return steps.new(kind, source, {"X": source}, **attributes)


def _sum(steps: Steps, one: str, other: str, like: str) -> str:
    return steps.new("elementwise_add", like, {"X": one, "Y": other}, axis=-1)


def _tanh(steps: Steps, out: str, told: Attributes) -> tuple[Result, Result]:
    return (
        lambda: _scaled(steps, _of(steps, "square", out), -1.0, 1.0),
        lambda: _scaled(steps, out, -2.0),
    )


def _sigmoid(steps: Steps, out: str, told: Attributes) -> tuple[Result, Result]:
    return (
        lambda: _product(steps, out, _scaled(steps, out, -1.0, 1.0)),
        lambda: _scaled(steps, out, -2.0, 1.0),
    )


def _sqrt(steps: Steps, out: str, told: Attributes) -> tuple[Result, Result]:
    one_by = partial(_of, steps, "reciprocal", out)
    return lambda: _scaled(steps, one_by(), 0.5), lambda: _scaled(steps, one_by(), -1.0)


def _rsqrt(steps: Steps, out: str, told: Attributes) -> tuple[Result, Result]:
    return (
        lambda: _scaled(steps, _product(steps, out, out, out), -0.5),
        lambda: _scaled(steps, _of(steps, "reciprocal", out), 3.0),
    )


def _sin(steps: Steps, x: str, told: Attributes) -> tuple[Result, Result]:
    return lambda: _of(steps, "cos", x), lambda: _scaled(steps, _of(steps, "sin", x), -1.0)


def _cos(steps: Steps, x: str, told: Attributes) -> tuple[Result, Result]:
    return (
        lambda: _scaled(steps, _of(steps, "sin", x), -1.0),
        lambda: _scaled(steps, _of(steps, "cos", x), -1.0),
    )


def _log(steps: Steps, x: str, told: Attributes) -> tuple[Result, Result]:
    one_by = partial(_of, steps, "reciprocal", x)
    return one_by, lambda: _scaled(steps, _of(steps, "square", one_by()), -1.0)


def _square(steps: Steps, x: str, told: Attributes) -> tuple[Result, Result]:
    two = partial(steps.new, "fill_any_like", x, {"X": x}, value=2.0)
    return lambda: _scaled(steps, x, 2.0), two


def _pow(steps: Steps, x: str, told: Attributes) -> tuple[Result, Result]:
    power = float(told["factor"])
    return (
        lambda: _scaled(steps, _of(steps, "pow", x, factor=power - 1), power),
        lambda: _scaled(steps, _of(steps, "pow", x, factor=power - 2), power * (power - 1)),
    )


def _softplus(steps: Steps, x: str, told: Attributes) -> tuple[Result, Result]:
    beta = float(told["beta"])
    if told["threshold"] < _NARROWEST:
        raise ValueError("a softplus that ends early")

    def slope() -> str:
        return _of(steps, "sigmoid", _scaled(steps, x, beta))

    def bend() -> str:
        steep = slope()
        return _scaled(steps, _product(steps, steep, _scaled(steps, steep, -1.0, 1.0)), beta)

    return slope, bend


def _above(steps: Steps, x: str) -> str:
    """1 where x is above zero, else 0."""
    return _of(steps, "sign", _of(steps, "relu", x))


def _exponential_below(
    steps: Steps, x: str, told: Attributes, *, celu: bool
) -> tuple[Result, Result]:
    """``elu`` and ``celu``: straight above zero, an exponential below."""
    alpha = float(told["alpha"])
    inner, factor = (1 / alpha, 1.0) if celu else (1.0, alpha)

    def below() -> str:
        low = _scaled(steps, _of(steps, "relu", _scaled(steps, x, -1.0)), -inner)
        out_of_it = _scaled(steps, _above(steps, x), -factor, factor)
        return _product(steps, _of(steps, "exp", low), out_of_it)

    return (
        lambda: _sum(steps, _above(steps, x), below(), x),
        lambda: _scaled(steps, below(), inner),
    )


def _curved(source: str, of: _Curve, by: str = "grad_out") -> Formula:
    """``grad_out_grad`` by the slope, and by its bend the gradient of what it is computed from;
    ``by``: of which of the gradients that bend is a factor."""

    def formula(steps: Steps, known: Operands, told: Attributes) -> Mapping[str, Result]:
        slope, bend = of(steps, known[source], told)
        again = known["grad_x_grad"]
        return {
            "grad_out_grad": lambda: _product(steps, again, slope()),
            f"{source}_grad": lambda: _product(steps, again, known[by], bend()),
        }

    return formula


def _straight(source: str, slope: _Slope) -> Formula:
    """Where it does not bend."""

    def formula(steps: Steps, known: Operands, told: Attributes) -> Mapping[str, Result]:
        again, of = known["grad_x_grad"], known[source]
        return {"grad_out_grad": lambda: _product(steps, again, slope(steps, of, told))}

    return formula


def _abs(steps: Steps, x: str, told: Attributes) -> str:
    return _of(steps, "sign", x)


def _relu(steps: Steps, out: str, told: Attributes) -> str:
    return _above(steps, out)


def _leaky_relu(steps: Steps, x: str, told: Attributes) -> str:
    alpha = float(told["alpha"])
    return _scaled(steps, _above(steps, x), 1 - alpha, alpha)


def _linear(sign: float, steps: Steps, known: Operands, told: Attributes) -> Mapping[str, Result]:
    """Of a sum or a difference: the same of the gradients that are there."""

    def made() -> str:
        like = known["grad_out"]
        total = steps.new("fill_any_like", like, {"X": like}, value=0.0)
        if "grad_x_grad" in known:
            total = _sum(steps, total, known["grad_x_grad"], like)
        if "grad_y_grad" in known:
            total = _sum(steps, total, _scaled(steps, known["grad_y_grad"], sign), like)
        return total

    return {"grad_out_grad": made}


def _bilinear(
    kind: str, names: Sequence[str], steps: Steps, known: Operands, told: Attributes
) -> Mapping[str, Result]:
    """Of a product, of elements or of matrices, which is linear in either factor."""
    x, y, back = known["x"], known["y"], known["grad_out"]
    first, second = known.get("grad_x_grad"), known.get("grad_y_grad")
    how = {name: told[name] for name in names} or {"axis": -1}

    def forward() -> str:
        pairs = [(first, y), (x, second)]
        parts = [
            steps.new(kind, back, {"X": one, "Y": other}, **how)
            for one, other in pairs
            if one is not None and other is not None
        ]
        if not parts:
            raise ValueError("a product without gradients")
        return parts[0] if len(parts) == 1 else _sum(steps, parts[0], parts[1], back)

    def backward(slot: str, like: str, one: str | None, other: str | None) -> str:
        if one is None or other is None:
            return steps.new("fill_any_like", like, {"X": like}, value=0.0)
        inputs = {"X": one, "Y": other, "Out@GRAD": back}
        return steps.gradient(f"{kind}_grad", like, inputs, slot, **how)

    return {
        "grad_out_grad": forward,
        "x_grad": lambda: backward("X", x, x, second),
        "y_grad": lambda: backward("Y", y, first, y),
    }


def _divide(steps: Steps, known: Operands, told: Attributes) -> Mapping[str, Result]:
    """Of ``out = x / y``, by ``out``: with z = grad_x_grad - out * grad_y_grad it is z / y, and of
    y, as often as it was spread, -grad_x * z / y."""
    y, out, back = known["y"], known["out"], known["grad_x"]
    first, second = known.get("grad_x_grad"), known.get("grad_y_grad")

    def by_y() -> str:
        total = first
        if second is not None:
            less = _scaled(steps, _product(steps, out, second), -1.0)
            total = less if first is None else _sum(steps, less, first, out)
        if total is None:
            raise ValueError("a quotient without gradients")
        return steps.new("elementwise_div", out, {"X": total, "Y": y}, axis=-1)

    def of_y() -> str:
        inputs = {"X": _scaled(steps, by_y(), -1.0), "Y": y, "Out@GRAD": back}
        return steps.gradient("elementwise_mul_grad", y, inputs, "Y", axis=-1)

    def of_out() -> str:
        if second is None:
            return steps.new("fill_any_like", out, {"X": out}, value=0.0)
        return _scaled(steps, _product(steps, back, second), -1.0)

    return {"grad_out_grad": by_y, "y_grad": of_y, "out_grad": of_out}


# By the name of the forward in PIR.
FORMULAS: Mapping[str, Formula] = {
    "abs": _straight("x", _abs),
    "add": partial(_linear, 1.0),
    "celu": _curved("x", partial(_exponential_below, celu=True)),
    "cos": _curved("x", _cos),
    "divide": _divide,
    "elu": _curved("x", partial(_exponential_below, celu=False)),
    "leaky_relu": _straight("x", _leaky_relu),
    "log": _curved("x", _log),
    "matmul": partial(_bilinear, "matmul_v2", ("trans_x", "trans_y")),
    "multiply": partial(_bilinear, "elementwise_mul", ()),
    "pow": _curved("x", _pow),
    "relu": _straight("out", _relu),
    "rsqrt": _curved("out", _rsqrt, "grad_x"),
    "sigmoid": _curved("out", _sigmoid),
    "sin": _curved("x", _sin),
    "softplus": _curved("x", _softplus),
    "sqrt": _curved("out", _sqrt, "grad_x"),
    "square": _curved("x", _square),
    "subtract": partial(_linear, -1.0),
    "tanh": _curved("out", _tanh),
}
