"""Every rule that a load can meet, in the order in which they are applied."""

from __future__ import annotations

from compatload.rules.formats import FORMAT_RULES
from compatload.rules.hardware import HARDWARE_RULES
from compatload.rules.model import Rule
from compatload.rules.new_ir import NEW_IR_RULES
from compatload.rules.onednn import ONEDNN_RULES
from compatload.rules.predictor import PREDICTOR_RULES
from compatload.rules.programs import PROGRAM_RULES
from compatload.rules.reuse import REUSE_RULES

LOAD_RULES: tuple[Rule, ...] = (
    *HARDWARE_RULES,
    *FORMAT_RULES,
    *PROGRAM_RULES,
    *PREDICTOR_RULES,
    *ONEDNN_RULES,
    *REUSE_RULES,
    *NEW_IR_RULES,
)
