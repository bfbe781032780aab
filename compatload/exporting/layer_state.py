"""What a layer is from call to call: its attributes, and what its buffers hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from compatload.exporting.saving import attributes_kept, attributes_of


class LayerState:
    """A layer's attributes and the numbers in its buffers as they are now.

    Samples are run from these, each time, and these are what is saved: a layer that counts or keeps
    what it saw (``self.seen.add_(x)``, ``self.cache[:n] = x``, ``self.mean = …``) would otherwise
    go on from what the samples left, in the file and for its owner.
    """

    def __init__(
        self, layer: Any, *, also_parameters: bool = False, note: Callable[[], object] | None = None
    ) -> None:
        """``also_parameters``: those hold something, too, which a loaded layer of 3.x takes buffers
        for. ``note`` is called behind each run, before the layer is as it was."""
        ways = ("named_buffers", *(["named_parameters"] if also_parameters else []))
        self._layer, self._note = layer, note
        self._before = [
            (name, value, value.clone(), value.numpy().tobytes())
            for way in ways
            for name, value in (getattr(layer, way)() if hasattr(layer, way) else ())
            if value is not None and value._is_initialized()
        ]
        self._changed: dict[str, None] = {}
        self.assigns = False  # whether a run gave it attributes

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Within the scope the layer is run; afterwards it is as it was."""
        try:
            with attributes_kept(self._layer):
                before = [dict(one) for one in attributes_of(self._layer)]
                try:
                    yield
                finally:
                    self.assigns |= any(
                        now.keys() != then.keys()
                        or any(now[name] is not then[name] for name in now)
                        for now, then in zip(attributes_of(self._layer), before)
                    )
                    if self._note is not None:
                        self._note()
        finally:
            for name, value, before, held in self._before:
                if value.numpy().tobytes() != held:
                    self._changed[name] = None
                    value.set_value(before)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the buffers that runs have changed in place."""
        return tuple(self._changed)
