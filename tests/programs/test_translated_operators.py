"""Every legacy operator that 3.x's translator has no name for is repaired or refused."""

from __future__ import annotations

import json
from pathlib import Path

from compatload.faults.catalogue import load_rules
from compatload.operators.effects import Effect, effect_of
from compatload.operators.registry import legacy_operators
from compatload.programs.legacy_repairs.repair import _FAMILIES
from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("translated_operators.py")
# Found under another name once they have operands: that of the operator in place.
NAMED_BY_OPERANDS = {
    *("average_accumulates", "block_multihead_attention", "masked_multihead_attention"),
    "merged_adam",
}
# Paddle's own executor alone makes them, as it runs.
MADE_BY_PASSES = {"conditional_block_infer", "transfer_layout"}


def test_what_has_no_name_in_pir_is_repaired_or_refused() -> None:
    release = releases()[-1]  # 3.0.0 and 3.3.1 lack the same ones
    both = legacy_operators("2.6.2").keys() & legacy_operators(release).keys()
    names = sorted(
        name
        for name in both
        if "grad" not in name and not name.startswith("sparse_")
        if effect_of(name) is not Effect.OUTSIDE
    )
    untold = json.loads(run_in(release, SCRIPT, given=json.dumps(names)).splitlines()[-1])
    repaired = {name for family in _FAMILIES.values() for name in family}
    (rule,) = (one for one in load_rules() if one.id == "CL131")
    refused = {name for one in rule.when for pattern in one.operators for name in pattern.names}
    assert "generate_proposals" in untold
    assert {*untold} - repaired - refused - NAMED_BY_OPERANDS - MADE_BY_PASSES == set()
