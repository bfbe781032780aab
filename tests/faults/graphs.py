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


def made(number: int, line: str, **attributes: object) -> Operator:
    result, _, rest = line.partition(" = ")
    name, *read = rest.split()
    inputs = {str(slot): (value,) for slot, value in enumerate(read)}
    return Operator(f"pd_op.{name}", inputs, {"0": (result,)}, attributes, index=number)


def program(*lines: tuple[str, dict[str, object]], **shapes: tuple[int, ...]) -> Graph:
    return graph([made(n, line, **told) for n, (line, told) in enumerate(lines)], shapes)
