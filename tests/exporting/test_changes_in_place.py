"""Statements whose result nobody takes, as text: no Paddle."""

from __future__ import annotations

import pytest

from compatload.exporting.changes_in_place import assigned

NAMES = frozenset({"exp_", "add_", "relu_", "clip_"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y.exp_()", "y = y.exp_()"),
        ("y.add_(x).exp_()", "y = y.add_(x).exp_()"),
        ("F.relu_(y)", "y = F.relu_(y)"),
        ("paddle.nn.functional.relu_(y)", "y = paddle.nn.functional.relu_(y)"),
        ("y[:, 1:].clip_(0, 1)", "y[:, 1:] = y[:, 1:].clip_(0, 1)"),
        ("z = y.exp_()", "z = y.exp_()"),
        ("y.exp()", "y.exp()"),
        ("y.sort_()", "y.sort_()"),
        ("y.exp().add_(x)", "y.exp().add_(x)"),
        ("self.state.add_(x)", "self.state.add_(x)"),
        ("exp_()", "exp_()"),
        ("é = 1; y.exp_()", "é = 1; y = y.exp_()"),
    ],
)
def test_the_result_is_assigned_to_what_was_changed(before: str, after: str) -> None:
    assert assigned(before, NAMES) == after


def test_lines_stay_in_their_places() -> None:
    source = "    def forward(self, y):\n        if y:\n            y.add_(\n                1)\n"
    assert assigned(source, NAMES).splitlines() == [
        *("def forward(self, y):", "    if y:", "        y = y.add_(", "            1)")
    ]
