"""Outputs that are an input plus a constant, which ``paddle.jit.save`` of 3.x loses."""

from matrix.zoo.registry import ROWS, Family

family = Family("sums")
family.op("input_plus_constant", lambda x: x + 0.5, ROWS)
family.op("input_minus_constant_and_products", lambda x, y: (x * y, y - 0.25, x @ y.T), ROWS, ROWS)
