"""A value of detach() that is overwritten."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("views")
family.op("detached_and_relu", lambda x: ((y := x * 2.0).detach(), F.relu(y)), ROWS)
family.op("relu_of_detached", lambda x: (F.relu((y := x * 2.0).detach()), y), ROWS)
family.op("relu_and_detached", lambda x: (F.relu(y := x * 2.0), y.detach()), ROWS)
family.op("detached_and_shaped_relu", lambda x: ((y := x * 2.0).detach(), F.relu(y[None])), ROWS)
family.op("detached_and_added_to_input", lambda x: ((y := x * 2.0).detach(), x + y), ROWS)
family.op("detached_and_summed", lambda x: ((y := x * 2.0).detach(), y.sum(1)), ROWS)
