"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, rule

RULES: Mapping[str, Conversion] = {
    "ctc_align": rule("ctc_align", "Input InputLength", "Output OutputLength"),
    "crf_decoding": rule("crf_decoding", "Emission Transition Label Length", "ViterbiPath"),
    "tdm_child": rule("tdm_child", "X TreeInfo", "Child LeafMask"),
    # The dropout state is an output only in 2.6.
    "rnn": rule(
        "rnn",
        "Input PreState WeightList SequenceLength -",
        "Out DropoutState State Reserve",
    ),
}
