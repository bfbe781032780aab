"""What a gradient of a legacy program cannot do without, which Paddle has no prototype for.

    python -m matrix.derive_gradients          # writes compatload/operators/data/gradients.json

3.x describes the gradients of PIR, and ``pir_to_legacy`` knows which slot each of their operands
is: slots of operands that are not optional there are needed here.
"""

from __future__ import annotations

import json
from pathlib import Path

from compatload.operators.registry import known_releases, pir_operators
from compatload.programs.pir_to_legacy.families import conversions
from compatload.programs.pir_to_legacy.families.gradients import gradient_of
from compatload.programs.pir_to_legacy.rules import OperatorRule

DATA = Path(__file__).resolve().parents[1] / "compatload" / "operators" / "data" / "gradients.json"
_TENSORS = ("dense", "vector<dense>")
_NOT_ASKED = frozenset({"MidOut", "XShape", "Mask", "SavedMean", "SavedVariance", "ReserveSpace"})
# What programs that 2.6.2 saved go without.
_WITHOUT = frozenset(
    {
        *(("flatten_contiguous_range_grad", "X"), ("meshgrid_grad", "Out@GRAD")),
        *(("nanmedian_grad", "Out"), ("pad_grad", "X"), ("unsqueeze2_grad", "X")),
    }
)


def needed() -> dict[str, list[str]]:
    """Legacy gradient → the slots that hold a tensor in every program."""
    found: dict[str, set[str]] = {}
    for name, described in pir_operators(known_releases()[-1]).items():
        rule = gradient_of(name, conversions()) if name.endswith("_grad") else None
        if not isinstance(rule, OperatorRule):
            continue
        slots = {
            slot
            for slot, operand in zip(rule.inputs, described.operands)
            if isinstance(slot, str) and slot and not operand.optional
            if operand.type in _TENSORS and slot not in _NOT_ASKED
            if (rule.type, slot) not in _WITHOUT
        }
        known = found.setdefault(rule.type, slots)
        known &= slots
    return {name: sorted(slots) for name, slots in sorted(found.items()) if slots}


def written() -> str:
    lines = (f'"{name}": {json.dumps(slots)}' for name, slots in needed().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    DATA.write_text(written(), encoding="utf-8")
