"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, rule

RULES: Mapping[str, Conversion] = {
    # The dropout state is an output only in 2.6.
    "rnn": rule(
        "rnn",
        "Input PreState WeightList SequenceLength -",
        "Out DropoutState State Reserve",
    ),
}
