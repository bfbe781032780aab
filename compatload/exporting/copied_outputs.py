"""A layer whose outputs are copies, for the time of an export.

``paddle.jit.save`` of 3.x takes a final addition of a constant for a renaming and leaves it out
(row 21 of docs/limitations.md); an addition with a copy after it stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from compatload.exporting.replacing import is_value


@contextmanager
def outputs_copied(layer: Any) -> Iterator[None]:
    """The layer gives copies in the scope, through a hook that Paddle saves with it."""
    hook = layer.register_forward_post_hook(_copies)
    try:
        yield
    finally:
        hook.remove()


def _copies(layer: Any, inputs: Any, outputs: Any) -> Any:
    import paddle

    return paddle.utils.map_structure(_copied, outputs)


def _copied(output: Any) -> Any:
    """Of what is no Tensor, as None or a number, there is nothing to copy."""
    import paddle

    return paddle.assign(output) if is_value(output) else output
