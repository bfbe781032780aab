"""Sizes of one list have as many dimensions (CL160)."""

from __future__ import annotations

from typing import Any

from compatload.artifact.model import Artifact
from compatload.programs.legacy_repairs.listed_sizes import Sizes, made_anew
from compatload.programs.legacy_repairs.standard_operators import reshape

RULE = "CL160"


def as_vectors(desc: Any, artifact: Artifact, found: Sizes) -> None:
    """Numbers among sizes that are vectors of one are vectors, too."""
    made_anew(desc, found, _vector)


def _vector(number: str, vector: Any) -> Any:
    vector.type.dense_tensor.tensor.dims[:] = [1]
    return reshape(number, vector.name, [1])
