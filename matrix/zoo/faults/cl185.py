"""Linear interpolation of rows and volumes to one place, and to several."""

from __future__ import annotations

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("image")
_ROWS, _VOLUMES = Input((None, 2, 9)), Input((None, 2, 4, 6, 7))

for name, size, told in (
    ("row_to_one_corner", 1, {"align_corners": True}),
    ("row_to_two_places", 2, {}),
):
    family.op(
        f"interpolated_{name}",
        lambda x, size=size, told=told: F.interpolate(
            x, size=[size], mode="linear", data_format="NCW", **told
        ),
        _ROWS,
    )
for name, sizes in {"one_place": [1, 1, 1], "one_depth": [1, 3, 3], "one_width": [2, 3, 1]}.items():
    family.op(
        f"interpolated_volume_to_{name}",
        lambda x, sizes=sizes: F.interpolate(x, size=sizes, mode="trilinear", data_format="NCDHW"),
        _VOLUMES,
    )
