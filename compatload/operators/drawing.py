"""Whether a program draws random numbers when it runs, so that no two runs are alike."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.operators.effects import Effect, effect_of

# Draw for the dropout between their layers, which is none in a saved program.
_WITH_DROPOUT = frozenset({"cudnn_lstm", "rnn"})


def draws_numbers(artifact: Artifact) -> bool:
    """Whether an operator of it draws numbers, or may; dropouts of a test draw none."""
    return any(map(_draws, artifact.program.operators))


def _draws(operator: Operator) -> bool:
    if effect_of(operator.name) is not Effect.RANDOM:
        return False
    attributes = operator.attributes
    is_test = attributes.get("is_test", attributes.get("test_mode", False))
    return not is_test and operator.name.rpartition(".")[2].rstrip("_") not in _WITH_DROPOUT
