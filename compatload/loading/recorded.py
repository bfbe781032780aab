"""A model held against the record that ``safe_save`` wrote beside it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.record import Record, changed_files, read_record
from compatload.errors import ArtifactNotFoundError, DamagedArtifactError, LoadError
from compatload.trials.comparison import allowance, relative_difference
from compatload.trials.layers import run
from compatload.trials.sampling import InputShape, sample


def require_recorded_files(artifact: Artifact, *, whole: bool) -> Record | None:
    """The record beside an artifact, once its files are known to be those that were saved.

    The program's hash and the sizes of all files are compared; with ``whole`` the hash of every
    file. None if there is no record.

    Raises:
        DamagedArtifactError: a file is another one than was saved, or the record is none.
    """
    place = artifact.files.record
    if place is None:
        return None
    record = _read(place)
    folder = os.path.dirname(place)
    changed = changed_files(record, folder) if whole else _resized(record, folder)
    known = record.files.get(os.path.basename(artifact.files.program))
    if known is not None and known.sha256 != hashlib.sha256(artifact.program_bytes).hexdigest():
        changed.append(os.path.basename(artifact.files.program))
    if changed:
        raise DamagedArtifactError(
            f"{', '.join(sorted(set(changed)))} of {artifact.path} changed since safe_save wrote "
            "the model.",
            action=f"Fetch the model again; delete {place} if it was saved anew without safe_save.",
            artifact=artifact.path,
        )
    return record


def _read(place: str) -> Record:
    try:
        return read_record(place)
    except ArtifactNotFoundError as error:
        raise DamagedArtifactError(
            error.problem,
            action="Check its permissions, or delete it.",
            artifact=place,
        ) from error


def _resized(record: Record, folder: str) -> list[str]:
    changed = []
    for name, known in record.files.items():
        try:
            if os.path.getsize(os.path.join(folder, name)) != known.size:
                changed.append(name)
        except OSError:
            changed.append(name)
    return changed


def sample_inputs(record: Record) -> list[Any] | None:
    """The arrays that the recorded outputs belong to, or None if none were recorded."""
    if record.sample_inputs:
        return [entry.array().reshape(entry.shape) for entry in record.sample_inputs]
    if record.seed is None or record.sizes is None:
        return None
    shapes = [
        InputShape(None, str(entry["dtype"]), tuple(entry["shape"]))  # type: ignore[arg-type]
        for entry in record.inputs
    ]
    return sample(shapes, record.sizes, record.seed)


def require_recorded_outputs(layer: Any, record: Record, path: str) -> None:
    """Run a loaded layer on the recorded sample, in eval mode, and compare its outputs.

    Raises:
        LoadError: it computes something else.
    """
    inputs = sample_inputs(record)
    if inputs is None or not record.outputs:
        return
    training = layer.training
    layer.eval()
    try:
        outputs = run(layer, inputs)
    finally:
        if training:
            layer.train()
    problem = difference_from(record, outputs)
    if problem:
        raise LoadError(
            f"{path} computes other numbers here than when it was saved: {problem}",
            action="Report this with the output of `compatload env` and `compatload plan`.",
            artifact=path,
        )


def difference_from(record: Record, outputs: Sequence[Any]) -> str:
    """In words what differs from the recorded outputs, or ``""``."""

    if not record.outputs:
        return ""
    if len(outputs) != len(record.outputs):
        return f"{len(outputs)} outputs, {len(record.outputs)} were stored"
    for number, (stored, found) in enumerate(zip(record.outputs, outputs)):
        if tuple(found.shape) != stored.shape:
            return f"output {number} has shape {tuple(found.shape)}, {stored.shape} was stored"
        difference = relative_difference(stored.array(), stored.same_places(found))
        if difference is None or difference > allowance(found):
            told = "another type" if difference is None else f"{difference:.3g}"
            return f"output {number} differs by {told} from what was stored"
    return ""
