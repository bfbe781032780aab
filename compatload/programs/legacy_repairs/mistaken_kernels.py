"""Operators that a translated program runs with another operator's kernel.

``dequantize_linear`` quantises once translated to PIR (3.0.0 to 3.3.1, CPU: −0.78 at scale 1 gives
−99 where 2.6.2 gives −0.0062), silently. It is composed of what is right. A predictor that runs the
legacy program itself has the right kernel, and fuses it.

``hierarchical_sigmoid`` names its weight as an output, and the translation then looks for a form in
place, which there is none of. The output is told under a name of its own; nothing reads it.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    FLOAT32,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import cast, elementwise, scale

RULE = "CL117"


def _dequantize(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """x · scale / (2^(bits−1) − 1), the scale along ``quant_axis`` where there is one."""
    slots = [arguments(operator.inputs, name) for name in ("X", "Scale")]
    results = arguments(operator.outputs, "Y")
    if any(len(names) != 1 for names in slots) or len(results) != 1:
        return None
    (source,), (factor,) = slots
    bits = int(attribute(operator, "bit_length", 8))
    if not 1 < bits <= 32:
        return None
    program.record(RULE, "dequantize_linear became a multiplication", position)
    if attribute(operator, "only_observer", False):
        return [new_operator("assign", {"X": [source]}, {"Out": results}, {})]
    dims = program.shape(block, source) or ()
    axis = int(attribute(operator, "quant_axis", -1))
    steps: list[Any] = []
    data_type = program.data_type(block, source)
    if data_type not in (None, FLOAT32):
        number = program.add_tensor(block, f"{source}.float32", FLOAT32, dims)
        steps.append(cast(source, int(data_type or 0), number, FLOAT32))
        source = number
    product = program.add_tensor(block, f"{results[0]}.product", FLOAT32, dims)
    steps.append(elementwise("elementwise_mul", source, factor, product, axis))
    return [*steps, scale(product, results[0], 1.0 / (2 ** (bits - 1) - 1))]


def _with_a_weight_of_its_own(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    weights, results = arguments(operator.inputs, "W"), arguments(operator.outputs, "W_Out")
    if weights != results or len(results) != 1:
        return None
    data_type, dims = program.data_type(block, results[0]), program.shape(block, results[0])
    if data_type is None or dims is None:
        return None
    unread = program.add_tensor(block, f"{results[0]}.unread", data_type, dims)
    set_arguments(operator.outputs, "W_Out", [unread])
    program.record(RULE, "hierarchical_sigmoid no longer names its weight as an output", position)
    return [operator]


REPAIRS = {
    "dequantize_linear": _dequantize,
    "hierarchical_sigmoid": _with_a_weight_of_its_own,
}
