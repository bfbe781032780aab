"""Sequences on their way into a layer: tensors with lengths (LoD), or a refusal.

Paddle's kernels follow a null pointer, or compute with what lies behind the tensor, where lengths
are missing or are not those of the tensor; so they are looked at before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compatload.artifact.model import Artifact
from compatload.errors import UsageError
from compatload.faults.cl150_sequences import RULE, SequenceInput, sequence_inputs
from compatload.loading.pipeline import Material
from compatload.trials.lengths import is_core_tensor, tensor_with

KEPT = "sequences"
# Offsets, level by level: [[0, 5, 12]] are sequences of 5 and 7 rows.
Lod = Sequence[Sequence[int]]


def kept(artifact: Artifact) -> dict[str, Any]:
    """What is kept of a load, as JSON can hold it."""
    told = {name: [one.level, one.needed] for name, one in sequence_inputs(artifact).items()}
    return {KEPT: told}


def sequences_of(material: Material) -> dict[str, SequenceInput]:
    """The inputs of a load that may be sequences, in the order of the file."""
    told = (material.more if KEPT in material.more else kept(material.artifact))[KEPT]
    return {
        str(name): SequenceInput(int(level), bool(needed)) for name, (level, needed) in told.items()
    }


def require_lengths(
    lod: Lod, rows: int, wanted: SequenceInput | None, name: str, path: str
) -> None:
    """Raises UsageError unless ``lod`` are lengths that an input of so many rows can have."""
    level = wanted.level if wanted is not None else 0
    if wanted is not None and wanted.needed and not lod:
        raise _unfit(f"a sequence{_levels(level)}, and came without lengths", level, name, path)
    if wanted is not None and wanted.needed and level and len(lod) != level:
        came = f"and came with lengths on {len(lod)}"
        raise _unfit(f"a sequence{_levels(level)}, {came}", level, name, path)
    if not fit(lod, rows):
        problem = f"given with lengths that are not those of {rows} rows"
        raise _unfit(f"{problem}: {[list(one) for one in lod]!s:.200}", len(lod), name, path)


def fit(lod: Lod, rows: int) -> bool:
    """Whether ``lod`` are lengths that a tensor of so many rows can have."""
    ends = [len(below) - 1 for below in lod[1:]] + [rows]
    return all(
        len(offsets) > 1
        and offsets[0] == 0
        and offsets[-1] == end
        and all(before <= after for before, after in zip(offsets, offsets[1:]))
        for offsets, end in zip(lod, ends)
    )


def _levels(level: int) -> str:
    return f" of {level} level{'s' if level > 1 else ''}" if level else ""


def _unfit(problem: str, level: int, name: str, path: str) -> UsageError:
    lengths = [[1]] * (level - 2) + [[2]] * (level > 1) + [[5, 7]]
    return UsageError(
        f"input {name} of {path} is {problem}",
        action=f"Pass paddle.base.create_lod_tensor(rows, {lengths}, paddle.CPUPlace()), "
        "here for sequences of 5 and 7 rows.",
        artifact=path,
        rule=RULE.id,
    )


def guard(layer: Any, names: Sequence[str], inputs: Mapping[str, SequenceInput], path: str) -> None:
    """Have Paddle's layer take what ``create_lod_tensor`` makes, and refuse what has no lengths
    where some are needed, before each call."""
    if not inputs:
        return

    def checked(_: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            _checked(value, inputs.get(name), name, path) if name else value
            for value, name in zip(values, [*names, *[""] * len(values)])
        )

    layer.register_forward_pre_hook(checked)


def _checked(value: Any, wanted: SequenceInput | None, name: str, path: str) -> Any:
    import numpy
    import paddle

    if is_core_tensor(value):
        lod = value.lod()
        array = numpy.array(value)
        require_lengths(lod, len(array), wanted, name, path)
        value = tensor_with(array, lod)
    elif isinstance(value, paddle.Tensor) and paddle.in_dynamic_mode():
        rows = value.shape[0] if value.shape else 0
        require_lengths(value.get_tensor().lod(), rows, wanted, name, path)
    elif isinstance(value, numpy.ndarray):
        require_lengths((), len(value) if value.ndim else 0, wanted, name, path)
    return value
