"""Tensors that a layer keeps of what it computed (``self.weights = softmax(x)``, CL456)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from compatload.exporting.verification import alike
from compatload.frozen import frozen

_BUFFERS = "_buffers"  # where a layer puts a Tensor that is assigned to it


@frozen
class KeptResult:
    """The attribute ``name`` of one of a layer's parts; ``told`` is how its code would say it."""

    part: Any
    name: str
    told: str


class Buffers:
    """The buffers of a layer as they are now, to see which of them its code replaces."""

    def __init__(self, layer: Any) -> None:
        named = getattr(layer, "named_sublayers", None)
        parts = named(include_self=True) if named is not None else ()
        self._before = [(name, part, dict(vars(part)[_BUFFERS])) for name, part in parts]
        self._replaced: dict[str, KeptResult] = {}

    def note(self) -> None:
        """Look at them now, behind a run."""
        for path, part, before in self._before:
            for name, value in before.items():
                if vars(part)[_BUFFERS].get(name, value) is not value:
                    told = ".".join(filter(None, ("self", path, name)))
                    self._replaced[told] = KeptResult(part, name, told)

    def replaced(self) -> tuple[KeptResult, ...]:
        """Those that were other Tensors when they were looked at."""
        return tuple(self._replaced.values())


def unread(
    replaced: Sequence[KeptResult], outputs: Callable[[], Sequence[Any]]
) -> tuple[KeptResult, ...]:
    """Those without which a layer gives the same ``outputs``: the others are states, which it reads
    before it replaces them."""
    if not replaced:
        return ()
    usual = outputs()

    def are_unread(some: Sequence[KeptResult]) -> bool:
        try:
            with left_out(some):
                return alike(usual, outputs())
        except Exception:
            return False

    if are_unread(replaced):
        return tuple(replaced)
    return tuple(one for one in replaced if are_unread([one]))


@contextmanager
def left_out(results: Collection[KeptResult]) -> Iterator[None]:
    """The layer as it was before it ran: nothing is kept. Afterwards it is as it is now."""
    buffers = {id(one.part): vars(one.part)[_BUFFERS] for one in results}
    before = {part: dict(content) for part, content in buffers.items()}
    for one in results:
        del vars(one.part)[_BUFFERS][one.name]
        vars(one.part)[one.name] = None
    try:
        yield
    finally:
        for one in results:
            vars(one.part).pop(one.name, None)
        for part, content in buffers.items():  # in the order that they had
            content.clear()
            content.update(before[part])


def told(results: Collection[KeptResult]) -> tuple[str, ...]:
    """In words, for the record; nothing where nothing was left out."""
    names = ", ".join(one.told for one in results)
    what = f"left out of the program: what the layer keeps for itself and computes anew ({names})"
    return (f"{what} (CL456)",) if names else ()
