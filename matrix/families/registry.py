"""How a module of ``models`` registers its networks, and all of them together.

Needs a real Paddle. Networks keep Paddle's own initialisers, which keep deep ones in range; what
those leave constant gets noise in ``save.py``, since a bias of zero proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from matrix.network import Input, Network

MODULES = ("vision", "classification", "detection", "two_stage", "ocr", "rt_detr", "segmentation",
           "language", "recurrent")  # fmt: skip

Sizes = Sequence[Sequence[Sequence[int]]]


class Models:
    """The networks of one module; ``family`` is their heading in the results."""

    def __init__(self) -> None:
        self.networks: dict[str, Network] = {}

    def add(
        self,
        family: str,
        name: str,
        build: Callable[[], Any],
        inputs: Mapping[str, Input],
        sizes: Sizes,
        tolerance: float = 1e-5,
    ) -> None:
        """Adds a network; ``sizes`` are the shapes of its inputs, once for each run."""
        if name in self.networks:
            raise ValueError(f"two networks are called {name}")
        shapes = tuple(tuple(tuple(shape) for shape in run) for run in sizes)
        self.networks[name] = Network(
            name=name,
            purpose=family,
            layer=build,
            inputs=inputs,
            shapes=shapes,
            tolerance=tolerance,
            family=family,
            seeded=False,
        )

    def image(
        self, family: str, name: str, build: Callable[[], Any], size: int, channels: int = 3
    ) -> None:
        """A network of one square image and any batch size, which is run with one and two."""
        shape = (channels, size, size)
        one = {"image": Input((None, *shape))}
        self.add(family, name, build, one, [[(1, *shape)], [(2, *shape)]])


def networks() -> dict[str, Network]:
    """All networks by name, module by module."""
    found: dict[str, Network] = {}
    for module in MODULES:
        models: Models = import_module(f"matrix.families.models.{module}").MODELS
        if twice := found.keys() & models.networks.keys():
            raise ValueError(f"in two modules: {', '.join(sorted(twice))}")
        found.update(models.networks)
    return found
