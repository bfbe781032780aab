"""``sigmoid_cross_entropy_with_logits``: weights of positives, as at home (CL155)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import elementwise, scale

RULE = "CL155"
_MENDED = "3.0"
_IGNORED = -100


def _weighted(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """The loss without weights, and (w - 1) · log(1 + exp(-|x|)) more, as 2.6 computes; or, as 3.0
    does since, log(1 + exp(-x)) in its place."""
    slots = [arguments(operator.inputs, name) for name in ("X", "pos_weight")]
    results = arguments(operator.outputs, "Out")
    if not program.crosses(_MENDED) or any(len(n) != 1 for n in (*slots, results)):
        return None
    if attribute(operator, "normalize", False):
        return None
    if attribute(operator, "ignore_index", _IGNORED) != _IGNORED:
        return None
    (source,), (weight,) = slots
    kind, dims, weights = (
        program.data_type(block, source),
        program.shape(block, source),
        program.shape(block, weight),
    )
    if kind is None or dims is None or weights is None:
        return None
    turned, size, rest, more, plain = (
        program.add_tensor(block, f"{results[0]}.{part}", kind, dims)
        for part in ("turned", "size", "rest", "more", "plain")
    )
    raised = program.add_tensor(block, f"{results[0]}.raised", kind, weights)
    steps = [scale(source, turned, -1.0)]
    if not program.is_saved_since(_MENDED):
        steps = [
            new_operator("abs", {"X": [source]}, {"Out": [size]}, {}),
            scale(size, turned, -1.0),
        ]
    set_arguments(operator.inputs, "pos_weight", [])
    set_arguments(operator.outputs, "Out", [plain])
    told = {"beta": ("FLOAT", 1.0), "threshold": ("FLOAT", 20.0)}
    program.record(RULE, "weights of positives count as at home", position)
    return [
        *steps,
        new_operator("softplus", {"X": [turned]}, {"Out": [rest]}, told),
        scale(weight, raised, 1.0, -1.0),
        elementwise("elementwise_mul", rest, raised, more),
        operator,
        elementwise("elementwise_add", plain, more, results[0]),
    ]


REPAIRS = {"sigmoid_cross_entropy_with_logits": _weighted}
