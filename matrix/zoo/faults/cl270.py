"""Activations after sums of integers and of float64."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")


def _distances(net, x):
    whole = (net.norm(x) * 9).astype("int64")
    return (whole - whole.flip(3)).abs()


def _wide(net, x):
    wide = net.norm(x).astype("float64")
    return F.relu(wide - wide.flip(3))


family.layer("distances_of_integers", lambda: Read(_distances), IMAGE)
family.layer("relu_of_float64_sum", lambda: Read(_wide), IMAGE)
