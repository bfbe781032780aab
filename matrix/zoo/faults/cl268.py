"""Windows that reach out of the image, and others."""

from __future__ import annotations

from functools import partial

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import Computed
from matrix.zoo.registry import Family

family = Family("pooling")
_IMAGE = Input((1, 2, 4, 5))

for name, told in {
    "mean_that_counts_outside": {"kernel_size": 2, "stride": 3, "exclusive": False},
    "mean_that_counts_padding": {"kernel_size": 3, "stride": 2, "padding": 1, "exclusive": False},
    "mean_that_skips_places": {"kernel_size": 2, "stride": 3},
    "mean_of_padding_alone": {"kernel_size": 3, "padding": 1},
    "mean_of_what_lies_inside": {"kernel_size": 2, "stride": 2},
}.items():
    mean = partial(F.avg_pool2d, ceil_mode=True, **told)
    family.layer(name, lambda mean=mean: Computed(mean), _IMAGE)

for name, window in {"padded_less_last": (3, [1, 0]), "padded_more_last": (3, [0, 1])}.items():
    size, padding = window
    largest = partial(F.max_pool2d, kernel_size=size, stride=2, padding=padding, ceil_mode=True)
    family.layer(f"maximum_{name}", lambda largest=largest: Computed(largest), Input((1, 2, 8, 8)))
