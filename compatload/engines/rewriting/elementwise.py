"""Functions of each number by itself, and of two numbers."""

from __future__ import annotations

import math

from compatload.engines.rewriting.builder import FLOATS, Builder, Form, UnsuitableError, rewrite
from compatload.programs.legacy_repairs.program import BOOL

# From here on softplus is x in 32 bits.
_FAR = 17.0
_NOTHING = 1e-6
_LARGEST = 3.4028234663852886e38


def _one_minus_square(b: Builder, x: str) -> str:
    """√((1 − x)(1 + x))"""
    return b.same("sqrt", b.multiply(b.scale(x, -1, 1), b.scale(x, 1, 1)))


def _log1p(b: Builder, x: str) -> str:
    """Exact for small numbers, too: what 1 + x lost is put back."""
    one = b.scale(x, 1, 1)
    lost = b.scale(one, 1, -1)
    is_lost = b.compare("equal", lost, b.number(0, x))
    safe = b.where(is_lost, one, lost)
    return b.where(is_lost, x, b.multiply(b.same("log", one), b.divide(x, safe)))


def _expm1(b: Builder) -> str:
    x = b.given()
    half = b.same("tanh", b.scale(x, 0.5))
    near = b.divide(b.scale(half, 2), b.scale(half, -1, 1))
    is_near = b.compare("less_than", b.same("abs", x), b.number(1, x))
    return b.where(is_near, near, b.scale(b.same("exp", x), 1, -1))


def _erf(b: Builder) -> str:
    """From gelu: x (1 + erf(x / √2)) / 2."""
    x = b.given()
    wide = b.scale(x, math.sqrt(2))
    is_zero = b.compare("equal", wide, b.number(0, x))
    activated = b.same("gelu", wide, approximate=False)
    ratio = b.divide(activated, b.where(is_zero, b.filled(x, 1), wide))
    return b.where(is_zero, x, b.scale(ratio, 2, -1))


def _cosh(b: Builder, x: str) -> str:
    return b.scale(b.add(b.same("exp", x), b.same("exp", b.scale(x, -1))), 0.5)


def _is_finite(b: Builder, x: str) -> str:
    if b.type_of(x) not in FLOATS:
        raise UnsuitableError("integers are")
    return b.compare("less_equal", b.same("abs", x), b.number(_LARGEST, x))


def _is_infinite(b: Builder, x: str) -> str:
    if b.type_of(x) not in FLOATS:
        raise UnsuitableError("integers are not")
    return b.compare("less_than", b.number(_LARGEST, x), b.same("abs", x))


def _is_nan(b: Builder, x: str) -> str:
    either = _either(b, _is_finite(b, x), _is_infinite(b, x))
    return b.emit("logical_not", {"X": either}, BOOL, b.dims(x))


def _either(b: Builder, x: str, y: str) -> str:
    return b.emit("logical_or", {"X": x, "Y": y}, BOOL, b.dims(x))


def _sign(b: Builder) -> str:
    x = b.given()
    zero, kind = b.number(0, x), b.type_of(x)
    above, below = (b.compare("less_than", *pair) for pair in ((zero, x), (x, zero)))
    return b.subtract(b.cast(above, kind), b.cast(below, kind))


def _trunc(b: Builder) -> str:
    x = b.given()
    below = b.compare("less_than", x, b.number(0, x))
    return b.where(below, b.same("ceil", x), b.same("floor", x))


def _kept_if(b: Builder, x: str, condition: str) -> str:
    return b.where(condition, x, b.filled(x, 0))


def _hard_shrink(b: Builder) -> str:
    x = b.given()
    limit = b.number(b.attribute("threshold", 0.5), x)
    return _kept_if(b, x, b.compare("less_than", limit, b.same("abs", x)))


def _thresholded_relu(b: Builder) -> str:
    x = b.given()
    if b.attribute("value", 0.0):
        raise UnsuitableError("another value")
    return _kept_if(b, x, b.compare("less_than", b.number(b.attribute("threshold", 1.0), x), x))


def _clip(b: Builder) -> str:
    told = {"min": b.attribute("t_min", 0.0), "max": b.attribute("t_max", 24.0)}
    return b.same("clip", b.given(), **told)


def _small_bias(b: Builder) -> str:
    """paddle2onnx (1.3.1) leaves out what it takes for nothing: up to 1e-6."""
    bias, factor, x = b.attribute("bias", 0.0), b.attribute("scale", 1.0), b.given()
    # Of this form, too, so that it is not rewritten again.
    if not 0 < abs(bias) <= _NOTHING or b.has("ScaleTensor") or b.type_of(x) not in FLOATS:
        raise UnsuitableError("it is written")
    if b.attribute("bias_after_scale", True):
        return b.add(x if factor == 1 else b.scale(x, factor), b.number(bias, x))
    return b.scale(b.add(x, b.number(bias, x)), factor)


def _celu(b: Builder) -> str:
    alpha = b.attribute("alpha", 1.0)
    return b.scale(b.same("elu", b.scale(b.given(), 1 / alpha), alpha=1.0), alpha)


def _selu(b: Builder) -> str:
    scale = b.attribute("scale", 1.0507009873554805)
    alpha = b.attribute("alpha", 1.6732632423543772)
    return b.scale(b.same("elu", b.given(), alpha=float(alpha)), scale)


def _softplus(b: Builder) -> str:
    """OpenVINO's own has a beta of 1, and no threshold from which on it is x."""
    x, beta, threshold = b.given(), b.attribute("beta", 1.0), b.attribute("threshold", 20.0)
    if not beta or (beta == 1.0 and threshold >= _FAR):
        raise UnsuitableError("it is there")
    inner = b.scale(x, beta)
    found = b.scale(_plain_softplus(b, inner), 1 / beta)
    if threshold >= _FAR:
        return found
    return b.where(b.compare("less_than", b.number(threshold, x), inner), x, found)


def _plain_softplus(b: Builder, x: str) -> str:
    return b.same("softplus", x, beta=1.0, threshold=20.0)


def _mish(b: Builder) -> str:
    if b.attribute("threshold", 20.0) < _FAR:
        raise UnsuitableError("another function")
    x = b.given()
    return b.multiply(x, b.same("tanh", _plain_softplus(b, x)))


def _log_sigmoid(b: Builder) -> str:
    return b.scale(_plain_softplus(b, b.scale(b.given(), -1)), -1)


def _softsign(b: Builder) -> str:
    x = b.given()
    return b.divide(x, b.scale(b.same("abs", x), 1, 1))


def _stanh(b: Builder) -> str:
    inner = b.scale(b.given(), b.attribute("scale_a", 0.67))
    return b.scale(b.same("tanh", inner), b.attribute("scale_b", 1.7159))


def _logit(b: Builder) -> str:
    x, eps = b.given(), b.attribute("eps", 1e-6)
    if eps:
        x = b.same("clip", x, min=float(eps), max=float(1 - eps))
    return b.same("log", b.divide(x, b.scale(x, -1, 1)))


def _atanh(b: Builder) -> str:
    x = b.given()
    return b.scale(b.subtract(_log1p(b, x), _log1p(b, b.scale(x, -1))), 0.5)


def _asinh(b: Builder) -> str:
    x = b.given()
    root = b.same("sqrt", b.scale(b.multiply(x, x), 1, 1))
    size = b.same("abs", x)
    # |x| + x² / (1 + √(1 + x²)), so that small numbers stay exact.
    sum_ = b.add(size, b.divide(b.multiply(x, x), b.scale(root, 1, 1)))
    found = _log1p(b, sum_)
    below = b.compare("less_than", x, b.number(0, x))
    return b.where(below, b.scale(found, -1), found)


def _acosh(b: Builder) -> str:
    x = b.given()
    root = b.same("sqrt", b.multiply(b.scale(x, 1, -1), b.scale(x, 1, 1)))
    return b.same("log", b.add(x, root))


def _fmax(kind: str) -> Form:
    def form(b: Builder) -> str:
        x, y = b.given("X"), b.given("Y")
        larger = b.where(_is_nan(b, y), x, b.binary(kind, x, y))
        return b.where(_is_nan(b, x), y, larger)

    return form


def _lerp(b: Builder) -> str:
    x, y = b.given("X"), b.given("Y")
    return b.add(x, b.multiply(b.given("Weight"), b.subtract(y, x)))


def _close(b: Builder) -> str:
    x, y = b.given("Input"), b.given("Other")
    if b.has("Rtol") or b.has("Atol"):
        raise UnsuitableError("computed limits")
    limits = (float(b.attribute(name, d)) for name, d in (("rtol", "1e-5"), ("atol", "1e-8")))
    relative, absolute = limits
    limit = b.scale(b.same("abs", y), relative, absolute)
    near = b.compare("less_equal", b.same("abs", b.subtract(x, y)), limit)
    found = _either(b, near, b.compare("equal", x, y))
    if not b.attribute("equal_nan", False):
        return found
    both = b.emit("logical_and", {"X": _is_nan(b, x), "Y": _is_nan(b, y)}, BOOL, b.dims(found))
    return _either(b, found, both)


def _all_close(b: Builder) -> str:
    return b.reduce("all", _close(b), (), keep=False)


def _equal_all(b: Builder) -> str:
    x, y = b.given("X"), b.given("Y")
    if b.dims(x) != b.dims(y) or -1 in b.dims(x):
        raise UnsuitableError("shapes that may differ")
    return b.reduce("all", b.compare("equal", x, y), (), keep=False)


def _huber(b: Builder) -> str:
    limit = b.attribute("delta", 1.0)
    rest = b.subtract(b.given("Y"), b.given("X"))
    size = b.same("abs", rest)
    near = b.scale(b.multiply(rest, rest), 0.5)
    far = b.scale(size, limit, -0.5 * limit * limit)
    return b.where(b.compare("less_equal", size, b.number(limit, size)), near, far)


def _label_smooth(b: Builder) -> str:
    x, epsilon = b.given(), b.attribute("epsilon", 0.0)
    if b.has("PriorDist"):
        return b.add(b.scale(x, 1 - epsilon), b.scale(b.given("PriorDist"), epsilon))
    return b.scale(x, 1 - epsilon, epsilon / b.size(x, -1))


def _prelu(b: Builder) -> str:
    x, alpha, mode = b.given(), b.given("Alpha"), b.attribute("mode", "all")
    rank = len(b.dims(x))
    if mode == "channel":
        last = b.attribute("data_format", "NCHW") == "NHWC"
        place = rank - 1 if last else 1
        alpha = b.reshape(alpha, [-1 if one == place else 1 for one in range(rank)])
    elif mode == "all":
        alpha = b.reshape(alpha, [1] * rank)
    below = b.same("relu", b.scale(x, -1))
    return b.subtract(b.same("relu", x), b.multiply(alpha, below))


def _bitwise(name: str) -> Form:
    def form(b: Builder) -> str:
        x = b.given("X")
        if b.type_of(x) != BOOL:
            raise UnsuitableError("integers")
        named = {"X": x} if name == "not" else {"X": x, "Y": b.given("Y")}
        return b.emit(f"logical_{name}", named, BOOL, b.dims(x))

    return form


def _log_of(base: float) -> Form:
    return lambda b: b.scale(b.same("log", b.given()), 1 / math.log(base))


def _atan2(b: Builder, y: str, x: str) -> str:
    return b.emit("atan2", {"X1": y, "X2": x}, b.type_of(y), b.dims(y))


def _acos(b: Builder) -> str:
    return _atan2(b, _one_minus_square(b, b.given()), b.given())


def _turned(kind: str) -> Form:
    """x > y by y < x: OpenVINO takes NaN for greater than everything."""
    return lambda b: b.compare(kind, b.given("Y"), b.given("X"))


_FORMS: dict[str, Form] = {
    "acos": _acos,
    "asin": lambda b: _atan2(b, b.given(), _one_minus_square(b, b.given())),
    "atan": lambda b: _atan2(b, b.given(), b.scale(b.given(), 0, 1)),
    "acosh": _acosh,
    "asinh": _asinh,
    "atanh": _atanh,
    "brelu": _clip,
    "celu": _celu,
    "cosh": lambda b: _cosh(b, b.given()),
    "elementwise_fmax": _fmax("elementwise_max"),
    "elementwise_fmin": _fmax("elementwise_min"),
    "equal_all": _equal_all,
    "erf": _erf,
    "expm1": _expm1,
    "greater_equal": _turned("less_equal"),
    "greater_than": _turned("less_than"),
    "hard_shrink": _hard_shrink,
    "huber_loss": _huber,
    "isfinite_v2": lambda b: _is_finite(b, b.given()),
    "isinf_v2": lambda b: _is_infinite(b, b.given()),
    "isnan_v2": lambda b: _is_nan(b, b.given()),
    "isclose": _close,
    "allclose": _all_close,
    "label_smooth": _label_smooth,
    "lerp": _lerp,
    "log10": _log_of(10),
    "log1p": lambda b: _log1p(b, b.given()),
    "log2": _log_of(2),
    "logit": _logit,
    "logsigmoid": _log_sigmoid,
    "mish": _mish,
    "prelu": _prelu,
    "reciprocal": lambda b: b.divide(b.number(1, b.given()), b.given()),
    "scale": _small_bias,
    "selu": _selu,
    "sign": _sign,
    "sinh": lambda b: b.multiply(b.same("tanh", b.given()), _cosh(b, b.given())),
    "softplus": _softplus,
    "softsign": _softsign,
    "square": lambda b: b.multiply(b.given(), b.given()),
    "stanh": _stanh,
    "tan": lambda b: b.divide(b.same("sin", b.given()), b.same("cos", b.given())),
    "thresholded_relu": _thresholded_relu,
    "trunc": _trunc,
    **{f"bitwise_{name}": _bitwise(name) for name in ("and", "or", "xor", "not")},
}


REWRITES = {name: rewrite(form) for name, form in _FORMS.items()}
