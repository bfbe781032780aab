"""Softplus with a low threshold, and with the usual one."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import WIDE, Family

family = Family("activation")
family.op("softplus_low_threshold", lambda x: F.softplus(x, beta=3.0, threshold=1.5), WIDE)
family.op("softplus_half_beta", lambda x: F.softplus(x, beta=0.5), WIDE)
family.op("softplus_tanh", lambda x: x * F.tanh(F.softplus(x)), WIDE)
