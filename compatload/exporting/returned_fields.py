"""Objects of dataclasses that a layer gives, as what a program gives, for the time of an export.

Paddle looks for Tensors in lists, tuples and dicts. In an object of a dataclass it finds none, and
saves a program without outputs, or none at all (CL431).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TOLD = "an object of a dataclass is saved as the list of its fields that are not None (CL431)"


@contextmanager
def fields_returned(layer: Any) -> Iterator[None]:
    """The layer gives lists of fields in the scope, through a hook that Paddle saves with it."""
    import paddle

    hook = layer.register_forward_post_hook(paddle.jit.not_to_static(_fields))
    try:
        yield
    finally:
        hook.remove()


def _fields(layer: Any, inputs: Any, outputs: Any) -> Any:
    return _plain(outputs)


def _plain(one: Any) -> Any:
    if dataclasses.is_dataclass(one) and not isinstance(one, (type, list, tuple, dict)):
        fields = [getattr(one, field.name) for field in dataclasses.fields(one)]
        return [_plain(field) for field in fields if field is not None]
    if type(one) in (list, tuple):
        return type(one)(map(_plain, one))
    if type(one) is dict:
        return {name: _plain(value) for name, value in one.items()}
    return one
