"""CL299: recurrent layers over sequences (LoD) in oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import LEGACY, Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

# What the passes make of gru runs in oneDNN whatever it is kept from by name (3.3.1). lstm has the
# same base there; it was right where it was tried.
_RECURRENT = frozenset({"gru", "fusion_gru", "multi_gru", "lstm", "fusion_lstm"})

RULE = Rule(
    id="CL299",
    title="recurrent layers over sequences (LoD) in oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, formats=LEGACY, operators=(OperatorPattern(_RECURRENT),)),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "oneDNN keeps what it made for the lengths of one call and computes with it in the next: "
        "the predictor gives other numbers each time, without an error, or dies (SIGSEGV) once "
        "the sequences differ enough."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "seg_model of LAC 2.1.2, oneDNN, 15 batches: SIGSEGV, 2.6.2, 3.3.1"),
        Evidence("measured", "two grus and crf_decoding: 3 of 4 predictors wrong, 3.3.1"),
        Evidence("measured", "the same without oneDNN, or unfused: right each time"),
    ),
)
