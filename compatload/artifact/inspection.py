"""``inspect_artifact``: what a saved model is, without Paddle and without running any of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace

from compatload.artifact import params as weights
from compatload.artifact.files import FileIdentity, read_file
from compatload.artifact.locate import Candidate, locate, require_memory_program
from compatload.artifact.model import (
    Artifact,
    ArtifactFiles,
    DecodedProgram,
    Format,
    Parameter,
    TensorSpec,
)
from compatload.artifact.outline import decode, outline
from compatload.artifact.pickle_audit import audit_info
from compatload.collection import collection_paused
from compatload.errors import (
    ArtifactError,
    ArtifactNotFoundError,
    DamagedArtifactError,
    UsageError,
    WeightsMismatchError,
)
from compatload.frozen import frozen

_MAX_INFO_BYTES = 64 * 1024 * 1024


def inspect_artifact(
    path: str | os.PathLike[str],
    *,
    prefer: str | None = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    trusted: Collection[str] = (),
) -> Artifact:
    """What is saved at ``path``: a prefix, any one file of a model, or a directory.

    The operators of a large program (64 KiB and more) are decoded, and checked, on the first look
    at ``artifact.program``, ``inputs`` or ``outputs``, which then raises DamagedArtifactError where
    something is wrong with them; of a smaller one at once. Loaders and converters always look.

    Args:
        prefer: ``"pir"`` or ``"legacy"`` where both stand side by side; the other one is taken
            when only its weights fit.
        model_filename: name of the program file inside the directory ``path``.
        params_filename: name of the combined weights inside it.
        trusted: exact names of globals that ``.pdiparams.info`` may ask for.

    Raises:
        ArtifactNotFoundError: there is no model, more than one, or a file is missing.
        DamagedArtifactError: a file is empty, cut short, altered, or not what its name says.
        WeightsMismatchError: the weights belong to another program.
        UnsafeArtifactError: a pickle would run code, or a name leads out of the directory.
        UnsupportedFormatError: recognised, but no program that Paddle loads.
        UsageError: an argument makes no sense.
    """
    return _inspect_at(path, prefer, model_filename, params_filename, trusted, outline)


def inspect_whole(
    path: str | os.PathLike[str],
    *,
    prefer: str | None = None,
    program: str | None = None,
    params: str | None = None,
    trusted: Collection[str] = (),
) -> Artifact:
    """:func:`inspect_artifact` with every operator decoded, and checked, at once.

    For those who look at them anyway, so that damage shows here and nowhere later.
    """
    return _inspect_at(path, prefer, program, params, trusted, decode)


# ``decode`` or ``outline``.
_Reader = Callable[[bytes, Format, str], DecodedProgram]


def _inspect_at(
    path: str | os.PathLike[str],
    prefer: str | None,
    program: str | None,
    params: str | None,
    trusted: Collection[str],
    reader: _Reader,
) -> Artifact:
    location = _location(path)
    candidates = locate(location, prefer=prefer, program=program, params=params)
    with collection_paused():
        for candidate in candidates[:-1]:
            try:
                return _inspect(location, candidate, trusted, decode)
            except (WeightsMismatchError, DamagedArtifactError) as error:
                return _fall_back(location, candidates, error, trusted)
        return _inspect(location, candidates[-1], trusted, reader)


def _location(path: object) -> str:
    if isinstance(path, (str, bytes, os.PathLike)):
        return os.fsdecode(path)
    raise UsageError(
        f"A path is wanted, not {type(path).__name__}.", action="Give a prefix, file or directory."
    )


def inspect_bytes(program: bytes, params: bytes | None = None) -> Artifact:
    """:func:`inspect_artifact` for a program and combined weights that are in memory."""
    kind = require_memory_program(program)
    decoded = decode(program, kind, "<memory>")
    parameters: tuple[Parameter, ...] = ()
    if params is not None:
        parameters = weights.match_combined(
            weights.MemorySource(params), decoded.parameters, "<memory>"
        )
    elif decoded.parameters:
        raise ArtifactNotFoundError(
            f"The program in memory wants {len(decoded.parameters)} parameters, and no weights "
            "were given.",
            action="Pass the bytes of its .pdiparams file, too.",
            artifact="<memory>",
        )
    return artifact_of(decoded, ArtifactFiles("<memory>"), parameters, program)


def _fall_back(
    path: str, candidates: tuple[Candidate, ...], error: ArtifactError, trusted: Collection[str]
) -> Artifact:
    try:
        artifact = _inspect(path, candidates[1], trusted, decode)
    except ArtifactError:
        raise error from None
    return replace(
        artifact,
        notes=(*artifact.notes, f"{candidates[0].files.program} does not fit: {error.problem}"),
    )


def _inspect(
    path: str, candidate: Candidate, trusted: Collection[str], reader: _Reader
) -> Artifact:
    every_file = (candidate.files, *(files for _, files in candidate.methods))
    programs = [_read(candidate.format, files, reader) for files in every_file]
    # paddle.jit.save(combine_params=True) writes the parameters of all methods into one file.
    every = {spec.name: spec for each in programs for spec in each.decoded.parameters}
    shared = tuple(every[name] for name in sorted(every)) if candidate.methods else ()
    artifact, *others = (_inspect_program(each, shared, trusted) for each in programs)
    methods = {name: method for (name, _), method in zip(candidate.methods, others)}
    return replace(
        artifact,
        path=path,
        notes=(*candidate.notes, *artifact.notes),
        methods={name: method.files for name, method in methods.items()},
        method_artifacts=methods,
    )


@frozen
class _ReadProgram:
    files: ArtifactFiles
    data: bytes
    identity: FileIdentity
    decoded: DecodedProgram


def _read(kind: Format, files: ArtifactFiles, reader: _Reader) -> _ReadProgram:
    data, identity = read_file(files.program)
    return _ReadProgram(files, data, identity, reader(data, kind, files.program))


def _inspect_program(
    read: _ReadProgram, shared: tuple[TensorSpec, ...], trusted: Collection[str]
) -> Artifact:
    files, parameters, identities, notes = _match_weights(read.files, read.decoded, shared)
    info = None
    if files.info is not None and read.decoded.format is Format.LEGACY:
        pickled, info_identity = read_file(files.info, _MAX_INFO_BYTES)
        audit = audit_info(pickled, files.info, trusted)
        info = audit.value if isinstance(audit.value, dict) and not audit.globals else None
        identities = (*identities, info_identity)
    artifact = artifact_of(read.decoded, files, parameters, read.data)
    return replace(
        artifact,
        info=info,
        identities=(read.identity, *identities),
        notes=(*artifact.notes, *notes),
    )


_Matched = tuple[ArtifactFiles, tuple[Parameter, ...], tuple[FileIdentity, ...], tuple[str, ...]]


def _match_weights(
    files: ArtifactFiles, decoded: DecodedProgram, shared: tuple[TensorSpec, ...]
) -> _Matched:
    expected = decoded.parameters
    if decoded.format is Format.PIR:  # a legacy program's may be a layer's own results
        _require_sizes(expected, files.program)
    if files.parameters:
        return _match_combined(files, expected, shared)
    if not expected:
        return replace(files, parameters_combined=True), (), (), ()
    directory = os.path.dirname(files.program)
    first = weights.loose_path(directory, expected[0].name)
    if files.program.endswith((".json", ".pdmodel")) and not os.path.isfile(first):
        raise ArtifactNotFoundError(
            f"{files.program} wants {len(expected)} parameters, and {files.prefix}.pdiparams is "
            "missing.",
            action="Put the weights that were saved with the program beside it.",
            artifact=files.program,
        )
    parameters, identities = weights.match_loose(directory, expected, files.program)
    paths = tuple(identity.path for identity in identities)
    files = replace(files, parameters=paths, parameters_combined=False)
    return files, parameters, identities, ()


def _require_sizes(parameters: tuple[TensorSpec, ...], program: str) -> None:
    free = next((one for one in parameters if any(size < 0 for size in one.shape or ())), None)
    if free is not None:
        raise DamagedArtifactError(
            f"{program} declares the parameter {free}, which has no size.",
            action="Save the model again.",
            artifact=program,
        )


def _match_combined(
    files: ArtifactFiles, expected: tuple[TensorSpec, ...], shared: tuple[TensorSpec, ...]
) -> _Matched:
    path = files.parameters[0]
    try:
        found, identity = weights.match_file(path, expected, files.program)
    except WeightsMismatchError:
        if len(shared) <= len(expected):
            raise
        try:
            found, identity = weights.match_file(path, shared, files.program)
        except ArtifactError:
            found = ()
        if not found:
            raise
        wanted = {spec.name for spec in expected}
        found = tuple(parameter for parameter in found if parameter.name in wanted)
        note = f"{path} holds the parameters of all methods (combine_params=True)"
        return files, found, (identity,), (note,)
    return files, found, (identity,), ()


def artifact_of(
    decoded: DecodedProgram, files: ArtifactFiles, parameters: tuple[Parameter, ...], data: bytes
) -> Artifact:
    """What a program and the parameters that it was held against make, under its own path."""
    return Artifact(
        path=files.program,
        format=decoded.format,
        files=files,
        program=decoded.program,
        parameters=parameters,
        saved_by=decoded.saved_by,
        pir_version=decoded.pir_version,
        trainable=decoded.trainable,
        operator_versions=decoded.operator_versions,
        evidence=decoded.evidence,
        notes=decoded.notes,
        program_bytes=data,
    )
