"""CL117: kernels that the translation to PIR picks by mistake."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL117",
    title="kernels that the translation to PIR picks by mistake",
    action=Action.REPAIR,
    explanation=(
        "Some quantised operators are translated to another kernel than the program means, a "
        "hierarchical sigmoid to one that does not exist. Operators that say the same are put in."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "dequantize_linear saved by 2.6.2, all 3.x"),
        Evidence("measured", "hsigmoid_loss saved by 2.6.2: no `pd_op.hsigmoid_loss_`, all 3.x"),
    ),
    module="compatload.programs.legacy_repairs.mistaken_kernels",
)
