"""Buffers of a layer that 2.6 saved are its buffers in 3.x, too.

A legacy program does not tell them from parameters; its ``.pdiparams.info`` does. Paddle 3 takes
all for parameters, and numbers them in one row: ``param_1`` of a state that was saved at home would
go into another tensor, in silence where it has the same shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any


def as_saved(layer: Any, info: Mapping[str, object] | None) -> None:
    """Give parameters and buffers the keys that 2.6 gives them in ``state_dict()``: each kind is
    numbered in the order of the names."""
    keys: dict[str, str] = getattr(layer, "_persistable_var_name_dict", {})
    told = {name: one for name, one in (info or {}).items() if isinstance(one, Mapping)}
    buffers = {name for name in keys if "trainable" not in told.get(name, {"trainable": True})}
    if not buffers:
        return
    held = {
        name: layer._parameters.pop(key) if key in layer._parameters else layer._buffers.pop(key)
        for name, key in keys.items()
    }
    parameter, buffer = count(), count()
    for name in sorted(held):
        if name in buffers:
            keys[name] = f"buffer_{next(buffer)}"
            layer._buffers[keys[name]] = held[name]  # register_buffer takes plain tensors only
        else:
            keys[name] = f"param_{next(parameter)}"
            layer.add_parameter(keys[name], held[name])
