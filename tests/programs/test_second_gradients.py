"""The formulas of second gradients against differences of functions, without Paddle."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Callable

import numpy as np
import pytest

from compatload.programs.second_gradients import FORMULAS

Array = np.ndarray[Any, Any]
Function = Callable[[Array], Array]
SMALL = 1e-4


class Computed:
    """Steps that are computed in float64 as they are written."""

    def __init__(self, values: Mapping[str, Array]) -> None:
        self.values, self.numbers = dict(values), count()

    def new(self, kind: str, like: str, inputs: Mapping[str, str], **told: Any) -> str:
        read = [self.values[inputs[slot]] for slot in ("X", "Y") if slot in inputs]
        return self.named(KERNELS[kind](*read, **told), like)

    def named(self, value: Array, like: str) -> str:
        assert value.shape == self.values[like].shape
        name = f"made_{next(self.numbers)}"
        self.values[name] = value
        return name

    def gradient(
        self, kind: str, like: str, inputs: Mapping[str, str], slot: str, **told: Any
    ) -> str:
        x, y, back = (self.values[inputs[one]] for one in ("X", "Y", "Out@GRAD"))
        if kind == "elementwise_mul_grad":
            found = back * (y if slot == "X" else x)
        else:
            found = back @ y.T if slot == "X" else x.T @ back
        return self.named(spread_back(found, self.values[like].shape), like)


def spread_back(value: Array, shape: tuple[int, ...]) -> Array:
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return value.sum(axes, keepdims=True) if axes else value


KERNELS: Mapping[str, Callable[..., Array]] = {
    "abs": np.abs,
    "cos": np.cos,
    "elementwise_add": lambda x, y, axis: x + y,
    "elementwise_div": lambda x, y, axis: x / y,
    "elementwise_mul": lambda x, y, axis: x * y,
    "exp": np.exp,
    "fill_any_like": lambda x, value: np.full_like(x, value),
    "matmul_v2": lambda x, y, trans_x, trans_y: x @ y,
    "pow": lambda x, factor: x**factor,
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: np.maximum(x, 0),
    "scale": lambda x, scale, bias, bias_after_scale: x * scale + bias,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sign": np.sign,
    "sin": np.sin,
    "square": np.square,
}
TOLD = {
    "factor": 3.0,
    "beta": 1.5,
    "threshold": 20.0,
    "alpha": 0.7,
    "trans_x": False,
    "trans_y": False,
}
FUNCTIONS: Mapping[str, Function] = {
    "abs": np.abs,
    "celu": lambda x: np.where(x > 0, x, 0.7 * (np.exp(x / 0.7) - 1)),
    "cos": np.cos,
    "elu": lambda x: np.where(x > 0, x, 0.7 * (np.exp(x) - 1)),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.7 * x),
    "log": np.log,
    "pow": lambda x: x**3,
    "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: x**-0.5,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "softplus": lambda x: np.log1p(np.exp(1.5 * x)) / 1.5,
    "sqrt": np.sqrt,
    "square": np.square,
    "tanh": np.tanh,
}
OF_POSITIVE = frozenset({"log", "rsqrt", "sqrt"})
PAIRS: Mapping[str, Callable[[Array, Array], Array]] = {
    "add": lambda x, y: x + y,
    "divide": lambda x, y: x / y,
    "matmul": lambda x, y: x @ y,
    "multiply": lambda x, y: x * y,
    "subtract": lambda x, y: x - y,
}


def slope(function: Function, x: Array) -> Array:
    made: Array = (function(x + SMALL) - function(x - SMALL)) / (2 * SMALL)
    return made


def bend(function: Function, x: Array) -> Array:
    made: Array = (function(x + SMALL) - 2 * function(x) + function(x - SMALL)) / SMALL**2
    return made


def test_every_formula_is_tried() -> None:
    assert {*FUNCTIONS, *PAIRS} == {*FORMULAS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_one_value(name: str) -> None:
    drawn = np.random.default_rng(0)
    x = drawn.uniform(0.3, 2.0, (2, 3)) * (1 if name in OF_POSITIVE else [[1, -1, 1], [-1, 1, -1]])
    back, again = drawn.normal(size=(2, 3)), drawn.normal(size=(2, 3))
    function = FUNCTIONS[name]
    first, second = slope(function, x), bend(function, x)
    given = {"x": x, "out": function(x), "grad_out": back, "grad_x": back * first}
    steps = Computed({**given, "grad_x_grad": again})
    results = FORMULAS[name](steps, {one: one for one in steps.values}, TOLD)
    np.testing.assert_allclose(steps.values[results["grad_out_grad"]()], again * first, atol=1e-6)
    if "x_grad" in results:
        np.testing.assert_allclose(steps.values[results["x_grad"]()], back * again * second, 1e-5)
    elif "out_grad" in results:  # what out hands on reaches x by the slope
        through = steps.values[results["out_grad"]()] * first
        if name in ("rsqrt", "sqrt"):  # beside what grad_x, made of out as well, hands on
            factor = {"sqrt": 0.5 / given["out"], "rsqrt": -0.5 * given["out"] ** 3}[name]
            np.testing.assert_allclose(factor, first, 1e-6)
        np.testing.assert_allclose(through, back * again * second, 1e-5)
    else:
        np.testing.assert_allclose(second, 0, atol=1e-5)


@pytest.mark.parametrize("one_row", [False, True])
@pytest.mark.parametrize("name", PAIRS)
def test_of_two_values(name: str, one_row: bool) -> None:
    """The gradients of L = grad_out · (df/dx · ddx + df/dy · ddy), by differences."""
    drawn = np.random.default_rng(1)
    x, back = drawn.normal(size=(3, 3)), drawn.normal(size=(3, 3))
    y = drawn.uniform(0.5, 2, (1, 3) if one_row and name != "matmul" else (3, 3))
    first, second = drawn.normal(size=x.shape), drawn.normal(size=y.shape)
    function = PAIRS[name]

    def loss(x: Array, y: Array, back: Array) -> float:
        ahead = function(x + SMALL * first, y + SMALL * second)
        behind = function(x - SMALL * first, y - SMALL * second)
        return float((back * (ahead - behind)).sum() / (2 * SMALL))

    out = function(x, y)
    given = {
        "x": x,
        "y": y,
        "out": out,
        "grad_out": back,
        "grad_x": back / y if name == "divide" else x,
    }
    steps = Computed({**given, "grad_x_grad": first, "grad_y_grad": second})
    results = FORMULAS[name](steps, {one: one for one in steps.values}, TOLD)
    made = {slot: steps.values[result()] for slot, result in results.items()}
    if name == "divide":  # out hands its gradient on to both
        made["x_grad"] = made["out_grad"] / y
        made["y_grad"] = made["y_grad"] + spread_back(-made["out_grad"] * out / y, y.shape)
    wanted = {
        "grad_out_grad": by_differences(lambda back: loss(x, y, back), back),
        "x_grad": by_differences(lambda x: loss(x, y, back), x),
        "y_grad": by_differences(lambda y: loss(x, y, back), y),
    }
    for slot, value in made.items():
        if slot in wanted:
            np.testing.assert_allclose(value, wanted[slot], rtol=1e-4, atol=1e-5)


def by_differences(function: Callable[[Array], float], at: Array) -> Array:
    found = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-3
        found[place] = (function(at + step) - function(at - step)) / 2e-3
    return found
