"""Programs made of a few operators, as graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compatload.artifact.model import (
    Artifact,
    ArtifactFiles,
    Format,
    Operator,
    Program,
    TensorSpec,
)
from compatload.faults.graph import Graph


def graph(operators: Sequence[Operator], shapes: Mapping[str, tuple[int, ...]] = {}) -> Graph:
    variables = {name: TensorSpec(name, "float32", shape) for name, shape in shapes.items()}
    program = Program(tuple(operators), (), (), variables)
    return Graph(Artifact("m", Format.PIR, ArtifactFiles("m.json"), program, (), None))


def chain(*names: str) -> list[Operator]:
    """Operators, each of which reads what the one before it yields."""
    return [
        Operator(name, {"X": (f"v{number}",)}, {"Out": (f"v{number + 1}",)}, {}, index=number)
        for number, name in enumerate(names)
    ]
