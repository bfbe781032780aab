"""The networks that every release saves and every release is to load.

Reading this package imports nothing; ``networks()`` imports the Paddle that is installed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from matrix.generator.description import MADE
from matrix.network import Network

# The last of these are the files of the faults.
FAMILIES = (
    *("activation", "image", "tensor", "counterparts", "algebra", "sequence", "blocks", "lists"),
    *("complex_numbers", "quantised", "models"),
    *sorted(f"faults.{path.stem}" for path in Path(__file__).parent.glob("faults/cl*.py")),
)

# What the names of chains of operators begin with, which are no networks of the zoo.
CHAIN = "chain:"
_FILES: dict[str, str] = {}


def networks() -> dict[str, Network]:
    """Every network by name, in order of family."""
    from matrix.zoo.registry import ZOO

    for family in FAMILIES:
        import_module(f"matrix.zoo.{family}")
        file = f"matrix/zoo/{family.replace('.', '/')}.py"
        _FILES.update({name: file for name in ZOO if name not in _FILES})
    return dict(ZOO)


def network(name: str) -> Network:
    """The network of that name; the chain of operators, or the drawn model, that the name tells."""
    if name.startswith(MADE):
        from matrix.generator.layers import network as made

        return made(name)
    if name.startswith(CHAIN):
        from matrix.zoo.chains import chain

        return chain(name)
    return networks()[name]


def files() -> dict[str, str]:
    """The file that each network stands in, from the root of the checkout."""
    networks()
    return dict(_FILES)
