"""Outputs that a program lacks and 3.x looks for.

Clean-up tools drop the ``XShape`` output of reshape2 and its kin; ``paddle.jit.load`` of 3.x
appends a backward program, which looks it up and dies with ``outputs_.end()``. Releases before 3
also drop outputs that inference does not need, which the translation to PIR insists on
(``Expected info.optional == true``): the second table was derived by leaving out each output of
each operator of the 2.6.2 registry in turn. Nobody reads them: declaring them is enough.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    FLOAT32,
    INT32,
    INT64,
    UINT8,
    LegacyProgram,
    arguments,
    attribute,
    set_arguments,
    set_attribute,
)

RULE = "CL110"

_SHAPE_KEEPERS = (
    "flatten2",
    "flatten_contiguous_range",
    "reshape2",
    "squeeze2",
    "transpose2",
    "unsqueeze2",
)

# Outputs as large as the operator's first one; the others are declared without dimensions.
_LIKE_RESULT = frozenset(
    {
        *("Indices", "Mask", "MidOut", "Noise", "indices"),
        *("BatchCellPreAct", "BatchHidden", "BatchResetHiddenPrev", "Cell"),
    }
)

# operator → output slot → its element type, or None for that of the first input.
_REQUIRED: dict[str, dict[str, int | None]] = {
    "anchor_generator": {"Variances": None},
    "argsort": {"Indices": INT64},
    "batch_norm": {
        "MeanOut": FLOAT32,
        "VarianceOut": FLOAT32,
        "SavedMean": FLOAT32,
        "SavedVariance": FLOAT32,
    },
    "cummax": {"indices": INT64},
    "cummin": {"indices": INT64},
    "dropout": {"Mask": UINT8},
    "distribute_fpn_proposals": {"RestoreIndex": INT32},
    "eigh": {"Eigenvectors": None},
    "eigvalsh": {"Eigenvectors": None},
    "generate_proposals_v2": {"RpnRoiProbs": None},
    "gru": {"BatchGate": None, "BatchResetHiddenPrev": None, "BatchHidden": None},
    "instance_norm": {"SavedMean": FLOAT32, "SavedVariance": FLOAT32},
    "kthvalue": {"Indices": INT64},
    "lrn": {"MidOut": None},
    "lstm": {"Cell": None, "BatchGate": None, "BatchCellPreAct": None},
    "lstsq": {"Rank": INT32, "SingularValues": None},
    "lu": {"Pivots": INT32, "Infos": INT32},
    "matrix_nms": {"Index": INT32},
    "max_pool2d_with_index": {"Mask": INT32},
    "max_pool3d_with_index": {"Mask": INT32},
    "mode": {"Indices": INT64},
    "multiclass_nms3": {"Index": INT32},
    "nanmedian": {"MedianIndex": INT64},
    "nll_loss": {"Total_weight": None},
    "norm": {"Norm": None},
    "prior_box": {"Variances": None},
    "qr": {"R": None},
    "rnn": {"DropoutState": UINT8, "State": None},
    "rrelu": {"Noise": None},
    "softmax_with_cross_entropy": {"Loss": None},
    "svd": {"S": None, "VH": None},
    "top_k_v2": {"Indices": INT64},
    "viterbi_decode": {"Path": INT64},
    "yolo_box": {"Scores": None},
}


def _add_outputs(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    missing = {
        slot: data_type
        for slot, data_type in _REQUIRED[operator.type].items()
        if not arguments(operator.outputs, slot)
    }
    if not missing:
        return None
    sources = [name for slot in operator.inputs for name in slot.arguments]
    inherited = program.data_type(block, sources[0]) if sources else None
    results = [name for slot in operator.outputs for name in slot.arguments]
    dims = (program.shape(block, results[0]) if results else None) or ()
    for slot, data_type in missing.items():
        known = inherited if data_type is None else data_type
        name = program.add_tensor(
            block,
            f"{operator.type}.{slot}",
            FLOAT32 if known is None else known,
            dims if slot in _LIKE_RESULT else (),
        )
        set_arguments(operator.outputs, slot, [name])
    program.record(RULE, f"added the missing output {', '.join(missing)}", position)
    return [operator]


def _add_xshape(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if arguments(operator.outputs, "XShape"):
        return None
    sources = arguments(operator.inputs, "X")
    results = arguments(operator.outputs, "Out")
    if len(sources) != 1 or len(results) != 1:
        return None
    data_type = program.data_type(block, sources[0])
    dims = (0, *(program.shape(block, sources[0]) or ()))
    name = program.add_tensor(
        block, f"{results[0]}.xshape", FLOAT32 if data_type is None else data_type, dims
    )
    set_arguments(operator.outputs, "XShape", [name])
    program.record(RULE, f"added the missing output XShape ({name})", position)
    return [operator]


def _of_a_sequence(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """2.6 leaves out of gru and lstm what training needs. 3.x follows null pointers there; 2.6
    needs to be told that it is a test, and its predictor computes other numbers each time where
    these outputs are declared again (2.6.2)."""
    if program.is_loaded_since("3.0"):
        return _add_outputs(program, block, operator, position)
    if arguments(operator.outputs, "BatchGate") or attribute(operator, "is_test", False):
        return None
    set_attribute(operator, "is_test", "BOOLEAN", True)
    program.record(RULE, "is_test=True, which needs no output BatchGate", position)
    return [operator]


def _of_the_batch(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """A normalisation by the statistics of the batch, which every kernel keeps for training."""
    found = _add_outputs(program, block, operator, position)
    kept = arguments(operator.outputs, "ReserveSpace")
    if kept or not attribute(operator, "trainable_statistics", False):
        return found
    name = program.add_tensor(block, "batch_norm.ReserveSpace", FLOAT32, ())
    set_arguments(operator.outputs, "ReserveSpace", [name])
    program.record(RULE, "added the missing output ReserveSpace", position)
    return [operator]


def _for_gradients(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """What 3.x reads when it makes a gradient; no gradient of 2.6 is made in what was loaded."""
    if not program.is_loaded_since("3.0"):
        return None
    return _add_outputs(program, block, operator, position)


REPAIRS = {
    **dict.fromkeys(_REQUIRED, _add_outputs),
    **dict.fromkeys(_SHAPE_KEEPERS, _add_xshape),
    **dict.fromkeys(("gru", "lstm"), _of_a_sequence),
    "batch_norm": _of_the_batch,
    "instance_norm": _for_gradients,
}
