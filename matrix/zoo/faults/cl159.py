"""Items that one branch sets of a value that had items set before."""

from __future__ import annotations

from typing import Any

from paddle import nn

from matrix.zoo.registry import IDS, ROWS, Family

family = Family("branch")


class Setting(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.shift = self.create_parameter([6])


class InOneBranch(Setting):
    def forward(self, x: Any, ids: Any) -> Any:
        y = self.linear(x)
        y[:, 0] = 0.0
        if (ids[:, :2] == 1).sum() > 0:
            y[:, 1] = y[:, 0] + 1.0
        return y * 2.0


class InOneOfTwoBranches(Setting):
    def forward(self, x: Any, ids: Any) -> Any:
        y = self.linear(x)
        y[:, 0] = 0.0
        if (ids[:, :2] == 1).sum() > 0:
            y[:, 1] = y[:, 0] + 1.0
        else:
            y = y * 3.0
        return y * 2.0


class ByMaskInBranches(Setting):
    def forward(self, x: Any, ids: Any) -> Any:
        y = self.linear(x)
        y[ids == 0] = 0.0
        if (ids[:, :2] == 1).sum() > 0:
            y[ids == 1] = 1.5
        if (ids[:, :2] == 2).sum() > 0:
            y[:, 2] = y[:, 3] + self.shift[0]
        return y * 2.0


class TwiceInBranch(Setting):
    def forward(self, x: Any, ids: Any) -> Any:
        y = self.linear(x)
        y[0] = 0.0
        if (ids[:, :2] == 1).sum() > 0:
            y[:, 1] = 1.0
            y[:, 2] = y[:, 1] + y[:, 0]
        return y + self.shift


for name, build in (
    ("items_set_in_branch", InOneBranch),
    ("items_set_in_one_of_two", InOneOfTwoBranches),
    ("items_set_by_mask_in_branches", ByMaskInBranches),
    ("items_set_twice_in_branch", TwiceInBranch),
):
    family.layer(name, build, ROWS, IDS, savers=("2.6.2",))
