"""Which saved programs are the same, and what operators they have. Needs no Paddle."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Artifact, Operator

# Where in Python a value was made, and names that carry a counter.
_WRITTEN_BY_PYTHON = frozenset(
    (
        *("op_callstack", "op_namescope", "op_role", "op_role_var", "op_device", "name"),
        *("struct_name", "output_name", "with_quant_attr", "stop_gradient", "parameter_name"),
    )
)


def looked_at(folder: Path) -> tuple[str, dict[str, int]]:
    """The digest of a saved model's structure, and its operators with how often each stands there.

    Two models have one digest if they differ in names and in weights only.
    """
    artifact = inspect_artifact(folder / "model")
    programs = [artifact, *artifact.method_artifacts.values()]
    digest = hashlib.sha256()
    counts: dict[str, int] = {}
    for one in programs:
        for line in _lines(one):
            digest.update(line.encode())
        for operator, count in one.program.operator_counts.items():
            counts[operator] = counts.get(operator, 0) + count
    return digest.hexdigest()[:16], counts


def gives_other_ranks(folder: Path) -> bool:
    """Whether what was stored at saving has another number of axes than the program declares."""
    declared = inspect_artifact(folder / "model").outputs
    with np.load(folder / "io.npz", allow_pickle=False) as stored:
        return any(
            spec.shape is not None and stored[key].ndim != len(spec.shape)
            for place, spec in enumerate(declared)
            if (key := f"0/forward/out/{place}") in stored
        )


def _lines(artifact: Artifact) -> Iterator[str]:
    numbers: dict[str, int] = {}
    variables = artifact.program.variables
    yield str([(one.dtype, one.shape) for one in artifact.program.inputs])
    for operator in artifact.program.operators:
        yield f"{operator.name} {_attributes(operator)} {operator.block} {operator.sub_blocks}\n"
        for slots in (operator.inputs, operator.outputs):
            for slot, values in slots.items():
                places = [numbers.setdefault(value, len(numbers)) for value in values]
                kinds = [(s.dtype, s.shape) for s in map(variables.get, values) if s]
                yield f" {slot} {places} {kinds}\n"


def _attributes(operator: Operator) -> list[tuple[str, str]]:
    return sorted(
        (name, str(value))
        for name, value in operator.attributes.items()
        if name not in _WRITTEN_BY_PYTHON
    )
