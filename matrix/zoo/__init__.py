"""The networks that every release saves and every release is to load.

Reading this package imports nothing; ``networks()`` imports the Paddle that is installed.
"""

from __future__ import annotations

from importlib import import_module

from matrix.network import Network

FAMILIES = ("activation", "image", "tensor", "algebra", "sequence", "blocks")


def networks() -> dict[str, Network]:
    """Every network by name, in order of family."""
    for family in FAMILIES:
        import_module(f"matrix.zoo.{family}")
    from matrix.zoo.registry import ZOO

    return dict(ZOO)
