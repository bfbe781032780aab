"""From a path to the files of one model: a prefix, any one of its files, or a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.files import MAX_PROGRAM_BYTES, open_regular
from compatload.artifact.model import ArtifactFiles, Format
from compatload.artifact.signature import (
    HEAD_BYTES,
    PROGRAMS,
    Kind,
    is_pir,
    not_a_program,
    recognise,
)
from compatload.errors import ArtifactNotFoundError, DamagedArtifactError, UsageError
from compatload.frozen import frozen

PIR_SUFFIX, LEGACY_SUFFIX, TEXT_SUFFIX = ".json", ".pdmodel", ".pbtxt"
PARAMS_SUFFIX, INFO_SUFFIX, META_SUFFIX = ".pdiparams", ".pdiparams.info", ".meta"
RECORD_SUFFIX = ".compatload"
PREFERENCES = {"pir": PIR_SUFFIX, "legacy": LEGACY_SUFFIX}

# Endings of the files of one model, longest first.
_SUFFIXES = (INFO_SUFFIX, RECORD_SUFFIX, PARAMS_SUFFIX, LEGACY_SUFFIX, PIR_SUFFIX, META_SUFFIX)

# Files that describe an exported directory → the prefixes that stand beside them.
_DESCRIPTIONS = {
    "inference.yml": ("inference",),
    "infer_cfg.yml": ("model",),
    "model.yml": ("model", "__model__"),
}
# Programs without a suffix (1.x) → names of their combined weights, in order of preference.
_BARE_PROGRAMS = {
    "__model__": ("__params__", "params", "weights"),
    "model": ("params", "weights", "__params__"),
}
_BARE_WEIGHTS = ("__params__", "params", "weights")
# Endings of what people have where they think that they have a program.
_NO_PROGRAMS = (".pdparams", ".pdopt", ".nb", ".onnx", ".safetensors")
# Files of one save, or of one copy of a folder, are written one after the other: so many seconds,
# and one more for so many bytes of weights.
_OF_ONE_SAVE_S = 2.0
_COPIED_IN_A_SECOND = 10 << 20
# Directories can be huge; a model's own never is.
_MAX_ENTRIES = 100_000


@frozen
class Candidate:
    """One program with the files that go with it, and what kind of program it is."""

    format: Format
    files: ArtifactFiles
    methods: tuple[tuple[str, ArtifactFiles], ...] = ()
    notes: tuple[str, ...] = ()


def locate(
    path: str,
    *,
    prefer: str | None = None,
    program: str | None = None,
    params: str | None = None,
) -> tuple[Candidate, ...]:
    """The candidates at ``path``, best first: two where ``.json`` and ``.pdmodel`` both stand.

    ``program`` and ``params`` name the files inside the directory ``path``, for models saved
    under names of their own.

    Raises:
        ArtifactNotFoundError: there is no model, or more than one.
        UnsupportedFormatError, DamagedArtifactError: there is something else.
        UnsafeArtifactError: no regular file.
    """
    if prefer is not None and prefer not in PREFERENCES:
        raise UsageError(
            f"prefer is {prefer!r}.", action='Give "pir", "legacy" or None.', artifact=path
        )
    if program is not None or params is not None:
        return (_explicit(path, program, params),)
    candidates = _by_prefix(path, prefer)
    if not candidates and os.path.isdir(path):
        candidates = _by_directory(path, prefer)
    elif not candidates:
        candidates = _by_file(path, prefer)
    return tuple(_with_methods(candidate) for candidate in candidates)


def _explicit(path: str, program: str | None, params: str | None) -> Candidate:
    directory = path if os.path.isdir(path) else os.path.dirname(path)
    if program is None:
        (candidate, *_) = locate(path)
        files = candidate.files
    else:
        wanted = os.path.join(directory, program)
        files = _files(_there(wanted))
        missing = f"{wanted} is not there; {files.program} was chosen"
        notes = () if files.program == wanted else (missing,)
        candidate = Candidate(program_format(files.program), files, notes=notes)
    if params is not None:
        weights = os.path.join(directory, params)
        files = replace(files, parameters=(weights,), parameters_combined=True)
    return replace(candidate, files=files)


def _there(program: str) -> str:
    """The program of that name, or the one of the other format that a newer or older release has
    saved in its place."""
    stem, suffix = os.path.splitext(program)
    other = stem + {PIR_SUFFIX: LEGACY_SUFFIX, LEGACY_SUFFIX: PIR_SUFFIX}.get(suffix, suffix)
    if os.path.lexists(program) or not os.path.lexists(other):
        return program
    return other if recognise_file(other) in PROGRAMS else program  # not settings beside it


def program_format(path: str) -> Format:
    """The format of a program file, by its content."""
    kind = recognise_file(path)
    if kind not in PROGRAMS:
        raise not_a_program(path, kind)
    return PROGRAMS[kind]


def recognise_file(path: str) -> Kind:
    """The kind of a file, by its first bytes; JSON is searched to its end."""
    with open_regular(path) as file:
        head = file.read_at(0, HEAD_BYTES)
        kind = recognise(head, path)
        if kind is Kind.JSON and file.size <= MAX_PROGRAM_BYTES:
            # Paddle puts the mark first.
            return Kind.PIR if is_pir(head) or is_pir(file.read_at(0, file.size)) else kind
        return kind


def _by_prefix(prefix: str, prefer: str | None) -> list[Candidate]:
    if not os.path.basename(prefix):
        return []
    order = [PIR_SUFFIX, LEGACY_SUFFIX]
    if prefer == "legacy":
        order.reverse()
    found = [prefix + suffix for suffix in order if os.path.lexists(prefix + suffix)]
    candidates = [_candidate(path) for path in found if _may_be_program(path, len(found))]
    if len(candidates) < 2:
        return candidates
    first, second = (candidate.files.program for candidate in candidates)
    why = ""
    if _is_left_over(first, second, prefix + PARAMS_SUFFIX):
        candidates.reverse()
        why = f": {first} is older than it and than the weights"
    paths = [candidate.files.program for candidate in candidates]
    return [
        replace(
            candidate,
            files=replace(candidate.files, others=tuple(p for p in paths if p != own)),
            notes=(f"{' and '.join(sorted(paths))} stand side by side; {own} was chosen{why}",),
        )
        for candidate, own in zip(candidates, paths)
    ]


def _is_left_over(program: str, other: str, weights: str) -> bool:
    """Whether the other program and the weights were saved in place of what this one belonged to:
    another release writes another format, and leaves the old program beside it."""
    try:
        saved, *later = map(os.stat, (program, other, weights))
    except OSError:
        return False
    together = _OF_ONE_SAVE_S + later[-1].st_size / _COPIED_IN_A_SECOND
    return saved.st_mtime + together < min(one.st_mtime for one in later)


def _may_be_program(path: str, alternatives: int) -> bool:
    # A model.json of settings may stand beside model.pdmodel; alone it is reported as what it is.
    return alternatives < 2 or recognise_file(path) in PROGRAMS


def _candidate(program: str) -> Candidate:
    return Candidate(program_format(program), _files(program))


def _files(program: str) -> ArtifactFiles:
    """The files beside a program; parameters that are not there are left out."""
    directory, name = os.path.split(program)
    files = ArtifactFiles(program)
    prefix = files.prefix
    if prefix != program:
        combined = prefix + PARAMS_SUFFIX
        if os.path.lexists(combined):
            weights: tuple[tuple[str, ...], bool] = ((combined,), True)
        else:
            bare = _bare_parameters(files, directory, ("__params__",))
            weights = (bare.parameters, bare.parameters_combined)
        suffixes = (INFO_SUFFIX, META_SUFFIX, RECORD_SUFFIX)
        info, meta, record = (_existing(prefix + suffix) for suffix in suffixes)
        return ArtifactFiles(program, *weights, info, meta, record)
    stem, suffix = os.path.splitext(name)
    of_text = (stem + PARAMS_SUFFIX,) if suffix == TEXT_SUFFIX else ()
    return _bare_parameters(files, directory, (*of_text, *_BARE_PROGRAMS.get(name, _BARE_WEIGHTS)))


def _bare_parameters(files: ArtifactFiles, directory: str, names: tuple[str, ...]) -> ArtifactFiles:
    for name in names:
        combined = os.path.join(directory, name)
        if os.path.isfile(combined) and combined != files.program:
            return replace(files, parameters=(combined,))
    # One file per variable; which ones is for the program to say.
    return replace(files, parameters_combined=False)


def _existing(path: str) -> str | None:
    return path if os.path.isfile(path) else None


def _by_file(path: str, prefer: str | None) -> list[Candidate]:
    if not os.path.lexists(path):
        return _missing(path, prefer)
    directory, name = os.path.split(path)
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and name != suffix and suffix not in (PIR_SUFFIX, LEGACY_SUFFIX):
            return _owner(path, path[: -len(suffix)], prefer)
    if name in _DESCRIPTIONS:
        return _by_directory(directory or ".", prefer)
    kind = recognise_file(path)
    if kind in PROGRAMS:
        return [Candidate(PROGRAMS[kind], _files(path))]  # whatever stands beside it
    if kind is Kind.WEIGHTS or name in _BARE_WEIGHTS:
        return _by_directory(directory or ".", prefer)
    raise not_a_program(path, kind)


def _owner(path: str, prefix: str, prefer: str | None) -> list[Candidate]:
    candidates = _by_prefix(prefix, prefer)
    if candidates:
        return candidates
    kind = recognise_file(path)
    if kind not in (Kind.WEIGHTS, Kind.EMPTY, Kind.UNKNOWN) and path.endswith(PARAMS_SUFFIX):
        raise not_a_program(path, kind)
    raise ArtifactNotFoundError(
        f"{path} has no program beside it ({os.path.basename(prefix)}{PIR_SUFFIX} or "
        f"{LEGACY_SUFFIX}).",
        action="Put the program that was saved with it there.",
        artifact=path,
    )


def _missing(path: str, prefer: str | None) -> list[Candidate]:
    if os.path.lexists(path + PARAMS_SUFFIX):
        return _owner(path + PARAMS_SUFFIX, path, prefer)
    for suffix in _NO_PROGRAMS:
        if os.path.isfile(path + suffix):
            raise not_a_program(path + suffix, recognise_file(path + suffix))
    stem, suffix = os.path.splitext(path)
    beside = [stem + s for s in (PIR_SUFFIX, LEGACY_SUFFIX) if os.path.isfile(stem + s)]
    if suffix in (PIR_SUFFIX, LEGACY_SUFFIX) and beside:
        raise ArtifactNotFoundError(
            f"{path!r} does not exist.",
            action=f"Give {stem!r}: {beside[0]} is there.",
            artifact=path,
        )
    parent = os.path.dirname(path) or "."
    known = "" if os.path.isdir(parent) else f" (there is no directory {parent})"
    raise ArtifactNotFoundError(
        f"There is no model at {path!r}: no file or directory of that name, no {PIR_SUFFIX} and no "
        f"{LEGACY_SUFFIX}{known}.",
        action="Check the path; give it as it was given to paddle.jit.save.",
        artifact=path,
    )


def _by_directory(directory: str, prefer: str | None) -> list[Candidate]:
    names = sorted(_names(directory))
    for description, prefixes in _DESCRIPTIONS.items():
        if description in names:
            for prefix in prefixes:
                if prefix in _BARE_PROGRAMS and prefix in names:
                    return [_candidate(os.path.join(directory, prefix))]
                candidates = _by_prefix(os.path.join(directory, prefix), prefer)
                if candidates:
                    return candidates
    prefixes_found = list(_prefixes(directory, names))
    bare = [name for name in _BARE_PROGRAMS if name in names]
    bare = [n for n in bare if os.path.isfile(os.path.join(directory, n))]
    if len(prefixes_found) + len(bare) > 1:
        raise ArtifactNotFoundError(
            f"{directory} holds several models: {', '.join([*prefixes_found, *bare][:8])}.",
            action="Give the path of one of them.",
            artifact=directory,
        )
    if prefixes_found:
        return _by_prefix(os.path.join(directory, prefixes_found[0]), prefer)
    if bare:
        return [_candidate(os.path.join(directory, bare[0]))]
    raise _nothing_in(directory, names)


def _names(directory: str) -> Iterator[str]:
    try:
        with os.scandir(directory) as entries:
            for count, entry in enumerate(entries):
                if count >= _MAX_ENTRIES:
                    return
                yield entry.name
    except OSError as error:
        raise ArtifactNotFoundError(
            f"{directory} cannot be listed: {error.strerror}.",
            action="Check its permissions.",
            artifact=directory,
        ) from error


def _prefixes(directory: str, names: list[str]) -> Iterator[str]:
    """Prefixes of the programs in a directory, without the extra methods of another."""
    found: list[str] = []
    for name in names:
        for suffix in (PIR_SUFFIX, LEGACY_SUFFIX):
            prefix = name[: -len(suffix)]
            if not name.endswith(suffix) or not prefix or prefix in found:
                continue
            path = os.path.join(directory, name)
            if os.path.isfile(path) and _counts(path, suffix):
                found.append(prefix)
    for prefix in found:
        stem = prefix
        while "." in stem:
            stem = stem.rpartition(".")[0]
            if stem in found:
                break
        else:
            yield prefix


def _counts(path: str, suffix: str) -> bool:
    # Directories hold settings in .json, too.
    return suffix == LEGACY_SUFFIX or recognise_file(path) is not Kind.JSON


def _nothing_in(directory: str, names: list[str]) -> Exception:
    for name in names:
        path = os.path.join(directory, name)
        if not os.path.isfile(path):
            continue
        kind = recognise_file(path)
        if kind in _WORTH_NAMING:
            return not_a_program(path, kind)
    return ArtifactNotFoundError(
        f"{directory} holds no Paddle model.",
        action="Give the directory or prefix that paddle.jit.save wrote to.",
        artifact=directory,
    )


_WORTH_NAMING = frozenset(
    (
        Kind.PADDLE_LITE,
        Kind.ENCRYPTED,
        Kind.DISTRIBUTED_CHECKPOINT,
        Kind.ONNX,
        Kind.TORCH,
        Kind.SAFETENSORS,
        Kind.PICKLE,
        Kind.WEIGHTS,
    )
)


def _with_methods(candidate: Candidate) -> Candidate:
    """Add the extra methods that paddle.jit.save writes as ``prefix.method.suffix``."""
    prefix = candidate.files.prefix
    if prefix == candidate.files.program:
        return candidate
    directory, base = os.path.split(prefix)
    suffix = candidate.files.program[len(prefix) :]
    names = [n for n in _names(directory or ".") if n.startswith(f"{base}.") and n.endswith(suffix)]
    methods = []
    for name in sorted(names):
        method = name[len(base) + 1 : -len(suffix)]
        path = os.path.join(directory, name)
        if method and method.rpartition(".")[2].isidentifier() and _is_method(path, suffix):
            methods.append((method.rpartition(".")[2], _files(path)))
    return replace(candidate, methods=tuple(methods))


def _is_method(path: str, suffix: str) -> bool:
    # prefix.settings.json is none; with weights of its own, or broken, it is one all the same.
    if not os.path.isfile(path):
        return False
    has_weights = os.path.lexists(path[: -len(suffix)] + PARAMS_SUFFIX)
    return suffix == LEGACY_SUFFIX or has_weights or recognise_file(path) is not Kind.JSON


def require_memory_program(data: bytes) -> Format:
    """The format of a program in memory."""
    kind = recognise(data[:HEAD_BYTES])
    if kind not in PROGRAMS:
        if kind is Kind.JSON and is_pir(data):
            return Format.PIR
        error = not_a_program("<memory>", kind)
        if isinstance(error, DamagedArtifactError):
            error.action = "Pass the bytes of a .pdmodel or .json file."
        raise error
    return PROGRAMS[kind]
