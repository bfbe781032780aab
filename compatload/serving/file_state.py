"""Whether the files of a model changed: a cheap look first, their content only if need be."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from compatload.artifact.files import FileIdentity, identity_at, open_regular
from compatload.artifact.locate import locate
from compatload.artifact.model import ArtifactFiles
from compatload.errors import ArtifactError
from compatload.frozen import frozen


@frozen
class ModelState:
    """Every file that a load of the model would read, and its directory."""

    files: tuple[FileIdentity, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(state.path for state in self.files)


def model_state(path: str, *, program: str | None = None, params: str | None = None) -> ModelState:
    """The state of the model at ``path``, its files named as in ``locate``; of its directory alone
    where there is no whole model."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    try:
        candidates = locate(path, program=program, params=params)
    except (ArtifactError, OSError):
        return ModelState((identity_at(folder),))
    names = {
        name
        for candidate in candidates
        for files in (candidate.files, *(files for _, files in candidate.methods))
        for name in _names(files)
    }
    # A directory changes when a file in it is created, removed or renamed.
    return ModelState(tuple(map(identity_at, (folder, *sorted(names)))))


def content_hash(state: ModelState) -> str:
    """A hash over names and bytes of all files; what cannot be read counts as absent."""
    digest = hashlib.sha256()
    for path in state.paths:
        if os.path.isdir(path):
            continue
        digest.update(f"\0{os.path.basename(path)}\0".encode(errors="surrogateescape"))
        try:
            with open_regular(path) as file:
                for piece in file.chunks():
                    digest.update(piece)
        except ArtifactError:
            continue
    return digest.hexdigest()


def resolved(path: str) -> str:
    """``path`` with its directories' links followed, so that all files come from one place.

    A deployment that turns ``current`` from ``v1`` to ``v2`` in the middle of a load would
    otherwise mix the program of one with the weights of the other.
    """
    if os.path.isdir(path):
        return os.path.realpath(path)
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def _names(files: ArtifactFiles) -> Iterable[str]:
    yield files.program
    yield from files.parameters
    yield from (name for name in (files.info, files.meta) if name)
