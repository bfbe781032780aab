"""A value of detach() that is overwritten."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("views")
family.op("detached_and_relu", lambda x: ((y := x * 2.0).detach(), F.relu(y)), ROWS)
