"""Functions of complex numbers; the numbers come and go as their parts, which a predictor takes."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("complex numbers")


def _complex(x):
    return paddle.complex(x, paddle.flip(x, [0]) - 0.5)


def _parts(*results):
    return tuple(paddle.as_real(one) for one in results)


def _complex_numbers_moved(x):
    z = _complex(x)
    chosen = paddle.gather(z, paddle.to_tensor([1, 0]), axis=1)
    placed = paddle.where(x > 0, z, z + z)
    return _parts(paddle.cumsum(z, axis=1), chosen, placed)


def _complex_logarithms(x):
    z = _complex(x)
    return _parts(paddle.log(z), paddle.log2(z), paddle.log10(z), paddle.log1p(z))


def _complex_powers(x):
    z = _complex(x)
    powers = paddle.pow(z, 3), z**z, paddle.reciprocal(z)
    return _parts(paddle.sqrt(z), paddle.rsqrt(z), paddle.square(z), *powers)


def _complex_numbers_compared(x):
    z = _complex(x)
    same = z == paddle.where(x > 0, z, z + z)
    return same, paddle.logical_not(same), paddle.isfinite(paddle.log(z - z)), paddle.isnan(z)


def _complex_signs(x):
    z = _complex(x)
    assigned = z + z
    assigned[0] = 0.5 - 2j
    return _parts(paddle.sign(z - z), paddle.round(3 * z), assigned)


for one in (
    _complex_numbers_moved,
    _complex_logarithms,
    _complex_powers,
    _complex_numbers_compared,
    _complex_signs,
):
    computed(family, one, since="3.2")
