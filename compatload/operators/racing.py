"""Kernels of Paddle whose threads get in each other's way."""

from __future__ import annotations

from compatload.artifact.model import Artifact

# Of a node's first message they take the number as it is, and keep in one set which nodes have had
# one: threads read and write it at once. 2 to 22 of 60 runs of 20,000 edges by two threads were
# wrong (2.6.2, 3.0.0, 3.3.1), by up to 7, and none by one; 14 other kernels of graphs, segments and
# scatters were right.
_MESSAGES = frozenset({"graph_send_ue_recv", "pd_op.send_ue_recv"})
_RACING = frozenset({"MAX", "MIN"})


def races(artifact: Artifact) -> bool:
    """Whether a program is right by one thread only."""
    if _MESSAGES.isdisjoint(artifact.program.operator_counts):
        return False  # most are not even decoded for it
    return any(
        one.name in _MESSAGES and str(one.attributes.get("reduce_op")).upper() in _RACING
        for one in artifact.program.operators
    )
