"""Tensors that code keeps outside of its layer: in an object that is none, a list, a module.

``paddle.jit.save`` looks for everything that the program reads in the layer's state, and knows no
name that is not there: ``KeyError: 'generated_tensor_12'``. Of a layer without any it does not even
look: ``UnboundLocalError: … 'state_var_dict'``.
"""

from __future__ import annotations

import sys
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

TOLD = (
    "saved as buffers: Tensors that the code keeps outside of the layer, in an object that is none,"
    " a list, a dict or a module (CL462)"
)
_NAME = "compatload_outside_{}"
# Of a layer, and of what its modules hold.
_MOST_OBJECTS = 200_000
_CLOSED = (str, bytes, int, float, complex, bool, type(None), ModuleType)


def tensor_of(error: BaseException, layer: Any) -> Any | None:
    """The Tensor whose name Paddle did not find, or any where it has not looked for one; None where
    the error is another one."""
    import paddle

    if not (error.args and hasattr(layer, "register_buffer")):
        return None
    if isinstance(error, UnboundLocalError) and "state_var_dict" in str(error):
        return paddle.zeros([1])
    return _named(layer, error.args[0]) if isinstance(error, KeyError) else None


def registered(layer: Any, tensors: list[Any]) -> None:
    """As buffers of the layer, which ``attributes_kept`` takes away again."""
    for number, tensor in enumerate(tensors):
        layer.register_buffer(_NAME.format(number), tensor)


def _named(layer: Any, name: object) -> Any | None:
    import paddle

    modules = {type(part).__module__ for part in layer.sublayers(include_self=True)}
    own = [vars(sys.modules[one]) for one in modules if one.partition(".")[0] != "paddle"]
    waiting: list[Any] = [layer, *own]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_OBJECTS:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, _CLOSED):
            continue
        seen.add(id(one))
        if isinstance(one, paddle.Tensor):
            if one.name == name:
                return one
        else:
            waiting += _parts(one)
    return None


def _parts(one: Any) -> list[Any]:
    if isinstance(one, dict):
        return list(one.values())
    if isinstance(one, (list, tuple, set, frozenset)):
        return list(one)
    if isinstance(one, MethodType):
        return [one.__self__, one.__func__]
    if isinstance(one, FunctionType):
        return [*(one.__closure__ or ()), *(one.__defaults__ or ())]
    if isinstance(one, CellType):
        try:
            return [one.cell_contents]
        except ValueError:  # nothing is in it yet
            return []
    return list(vars(one).values()) if hasattr(one, "__dict__") else []
