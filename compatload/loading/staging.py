"""A private directory that holds a model just as Paddle's loaders want to find it.

Paddle reads by path: it would read a file again that was exchanged since its inspection, unpickle
what nobody audited, and pick up any ``model.*.json`` that happens to lie beside the model. So it
is given a directory of its own: the bytes that were inspected, a pickle written from audited data,
and links to the weights. They lead to the descriptor of the very file that was inspected, so that
nothing else can take its place (a FIFO would stop the process for good); that it was not written to
is checked once Paddle is done.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial

from compatload.artifact.files import changed, read_file, reopened
from compatload.artifact.info import write_info
from compatload.artifact.model import Artifact, Format
from compatload.loading.prepared import KeptPrograms, PreparedPrograms
from compatload.loading.scratch import scratch_directory

_NAME = "model"


@contextmanager
def staged(
    artifact: Artifact,
    prepared: PreparedPrograms,
    *,
    trusted: tuple[str, ...] = (),
    weights: bytes | None = None,
) -> Iterator[str]:
    """The prefix of a private copy of ``artifact``, removed at the end.

    Args:
        prepared: the programs to load, which may be others than those inspected.
        trusted: globals that were opted into when the artifact was inspected.
        weights: combined weights of an artifact that was inspected in memory.

    Raises DamagedArtifactError if a file of the artifact changed since it was inspected.
    """
    written = [] if weights is None else [weights]
    if not isinstance(prepared.programs, KeptPrograms):
        written += prepared.programs.values()
    base = _base(sum(map(len, written)), artifact)
    with held_weights(artifact) as held, scratch_directory(base) as directory:
        prefix = os.path.join(directory, _NAME)
        lay_out(prefix, artifact, prepared, trusted, partial(_place_held, held))
        if weights is not None:
            _write(prefix + ".pdiparams", weights)
        with unchanged(artifact):
            yield prefix


@contextmanager
def held_weights(artifact: Artifact) -> Iterator[dict[str, str]]:
    """For each file of combined weights, a path of the very file that was inspected.

    The paths last as long as the scope. Raises DamagedArtifactError as ``require_unchanged``.
    """
    paths: dict[str, str] = {}
    with ExitStack() as scopes:
        for part in (artifact, *artifact.method_artifacts.values()):
            if not part.files.parameters_combined:
                continue
            for identity in part.identities:
                if identity.path in part.files.parameters and identity.path not in paths:
                    file = scopes.enter_context(reopened(identity))
                    paths[identity.path] = file.reachable
        yield paths


def _place_held(held: Mapping[str, str], source: str, target: str) -> None:
    link_or_copy(held.get(source, source), target)


@contextmanager
def unchanged(artifact: Artifact) -> Iterator[None]:
    """Raise DamagedArtifactError at the end as ``require_unchanged``, also for other errors."""
    try:
        yield
    except Exception:
        require_unchanged(artifact)
        raise
    require_unchanged(artifact)


def opens(path: str, platform: str = sys.platform) -> bool:
    """Whether Paddle can open ``path``: on Windows it asks with narrow characters (CL107)."""
    return platform != "win32" or path.isascii()


# Where a directory costs 10 µs to make and remove; on a disk, with its journal, 600.
_MEMORY = "/dev/shm"  # noqa: S108 - what is made there nobody else can read
_MOST_IN_MEMORY = 16 << 20


def _base(size: int, artifact: Artifact) -> str:
    """Where to put that many bytes of programs, and links to weights."""
    loose = not artifact.files.parameters_combined  # those are written anew
    if tempfile.gettempdir() == "/tmp" and size <= _MOST_IN_MEMORY and not loose:  # noqa: S108
        with contextlib.suppress(OSError, AttributeError):  # neither is everywhere
            free = os.statvfs(_MEMORY)
            if free.f_bavail * free.f_frsize > 2 * _MOST_IN_MEMORY:
                return _MEMORY
    # The temporary directory of a Windows account bears its name, which may be outside ASCII.
    base = tempfile.gettempdir()
    return base if opens(base) else os.environ.get("PROGRAMDATA", base)


def require_unchanged(artifact: Artifact) -> None:
    """Raise DamagedArtifactError if a file was exchanged or written to since its inspection."""
    methods = artifact.method_artifacts.values()
    for identity in (i for each in (artifact, *methods) for i in each.identities):
        if not identity.is_unchanged():
            raise changed(identity.path)


def link_or_copy(source: str, target: str) -> None:
    """Make ``target`` lead to ``source`` without copying it where the system allows."""
    absolute = os.path.abspath(source)
    try:
        os.symlink(absolute, target)
    except (OSError, NotImplementedError):  # Windows without the privilege
        try:
            if os.name != "nt":  # elsewhere a hard link touches the source's time of change
                raise
            os.link(absolute, target)
        except OSError:
            shutil.copyfile(absolute, target)


def lay_out(
    prefix: str,
    artifact: Artifact,
    prepared: PreparedPrograms,
    trusted: tuple[str, ...],
    place: Callable[[str, str], None] = link_or_copy,
) -> None:
    """Write programs, weights and audited pickles under ``prefix``, in Paddle's own layout.

    ``place`` is called with source and target of each file that is there: combined weights, and
    programs in a cache entry.
    """
    parts = {"forward": artifact, **artifact.method_artifacts}
    for method, part in parts.items():
        stem = prefix if method == "forward" else f"{prefix}.{method}"
        _place_program(stem + prepared.suffix, prepared.programs, method, place)
        if part is artifact or part.files.parameters != artifact.files.parameters:
            _place_weights(stem + ".pdiparams", part, place)
        if prepared.format is not Format.PIR:
            _place_info(stem + ".pdiparams.info", part, prepared.infos.get(method), trusted)


def _place_program(
    target: str, programs: Mapping[str, bytes], method: str, place: Callable[[str, str], None]
) -> None:
    if isinstance(programs, KeptPrograms):
        place(programs.files[method], target)
    else:
        _write(target, programs[method])


def _place_weights(target: str, artifact: Artifact, place: Callable[[str, str], None]) -> None:
    files = artifact.files.parameters
    if artifact.files.parameters_combined:
        for path in files:
            place(path, target)
        return
    # One file a variable, as 1.x wrote them: each is one record of the combined form, and the
    # parameters of an artifact stand in the order of that form.
    inspected = {identity.path: identity for identity in artifact.identities}
    with open(target, "wb") as combined:
        for parameter in artifact.parameters:
            if parameter.file is not None:
                with reopened(inspected[parameter.file]) as loose:
                    combined.writelines(loose.chunks())


def _place_info(
    target: str, artifact: Artifact, prepared: bytes | None, trusted: tuple[str, ...]
) -> None:
    if prepared is not None:
        _write(target, prepared)
    elif artifact.info is not None:
        # Of a layer with parameters of which the program uses none, 2.6 lists them all, and then
        # says that the model is incomplete (CL010).
        _write(target, write_info(artifact.info if artifact.files.parameters else {}))
    elif artifact.files.info is not None and trusted:
        # Globals were opted into by name: Paddle gets the very bytes that pass the audit here.
        from compatload.artifact.pickle_audit import audit_info

        data, _ = read_file(artifact.files.info)
        audit_info(data, artifact.files.info, trusted)
        _write(target, data)


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
