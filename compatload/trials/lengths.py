"""Lengths for the inputs of a trial that are sequences (LoD): all rows as one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from compatload.artifact.model import Artifact
from compatload.faults.cl150_sequences import sequence_inputs


def levels_needed(artifact: Artifact) -> dict[str, int]:
    """The inputs that an operator cannot take without lengths, with their levels."""
    found = sequence_inputs(artifact).items()
    return {name: one.level or 1 for name, one in found if one.needed}


def with_lengths(arrays: Mapping[str, Any], levels: Mapping[str, int]) -> dict[str, Any]:
    """``arrays`` by name; those of ``levels`` as the tensors that ``create_lod_tensor`` makes."""
    given = dict(arrays)
    needed = levels.keys() & given.keys()
    if not needed:  # also where no Paddle is
        return given
    import paddle

    for name in needed:
        rows = len(given[name])
        lengths = [[1]] * (levels[name] - 1) + [[rows]]
        given[name] = paddle.base.create_lod_tensor(given[name], lengths, paddle.CPUPlace())
    return given


def tensor_with(array: Any, lod: Sequence[Sequence[int]]) -> Any:
    """A Tensor of ``array`` whose rows are sequences between those offsets, where there are any."""
    import paddle

    tensor = paddle.to_tensor(array)
    if lod:
        tensor.get_tensor().set_lod(lod)
    return tensor


def is_core_tensor(value: object) -> bool:
    """Whether it is what ``paddle.base.create_lod_tensor`` makes."""
    paddle = sys.modules.get("paddle")
    if paddle is None:
        return False
    core = paddle.base.core
    kind: type = core.DenseTensor if hasattr(core, "DenseTensor") else core.LoDTensor
    return isinstance(value, kind)
