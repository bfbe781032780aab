"""Programs that are right by one thread only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Operator
from compatload.operators.racing import races
from tests.fixtures.index import fixture


@pytest.mark.parametrize(
    ("name", "how", "one_thread"),
    [
        ("pd_op.send_ue_recv", "MAX", True),
        ("graph_send_ue_recv", "min", True),
        ("graph_send_ue_recv", "SUM", False),
        ("graph_send_recv", "MAX", False),
    ],
)
def test_messages_of_which_the_largest_is_taken_race(name: str, how: str, one_thread: bool) -> None:
    artifact = inspect_artifact(fixture("2.6.2/classifier").path)
    sending = Operator(name, {}, {}, {"reduce_op": how})
    program = replace(artifact.program, operators=(sending,))
    assert races(replace(artifact, program=program)) is one_thread
