"""Every rule that a load can meet, in the order in which they are applied."""

from __future__ import annotations

from compatload.rules.formats import FORMAT_RULES
from compatload.rules.hardware import HARDWARE_RULES
from compatload.rules.kept_output import RULE as KEPT_OUTPUT
from compatload.rules.model import Rule
from compatload.rules.onednn import ONEDNN_RULES
from compatload.rules.predictor import PREDICTOR_RULES
from compatload.rules.programs import PROGRAM_RULES
from compatload.rules.reuse import REUSE_RULES
from compatload.rules.two_numbers import RULE as TWO_NUMBERS

LOAD_RULES: tuple[Rule, ...] = (
    *HARDWARE_RULES,
    *FORMAT_RULES,
    *PROGRAM_RULES,
    KEPT_OUTPUT,
    *PREDICTOR_RULES,
    *ONEDNN_RULES,
    *REUSE_RULES,
    TWO_NUMBERS,
)
