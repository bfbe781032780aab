"""Saved models as a checker: on disk with their own files, in archives with their neighbours."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from compatload.artifact import params as weights
from compatload.artifact import pir_json, program_desc
from compatload.artifact.inspection import artifact_of, inspect_whole
from compatload.artifact.model import (
    Artifact,
    ArtifactFiles,
    DecodedProgram,
    Format,
    Parameter,
    TensorSpec,
)
from compatload.artifact.pickle_audit import audit_info
from compatload.artifact.signature import (
    HEAD_BYTES,
    PROGRAMS,
    Kind,
    is_pir,
    not_a_program,
    recognise,
)
from compatload.checking.checker import LARGEST_KEPT, DiskFile, Judgement, Readable
from compatload.checking.finding import Finding, Severity, Skipped
from compatload.checking.judgement import judge
from compatload.checking.target import Target
from compatload.errors import (
    ArtifactNotFoundError,
    CompatLoadError,
    DamagedArtifactError,
    UnsafeArtifactError,
    UnsupportedFormatError,
    WeightsMismatchError,
)
from compatload.frozen import frozen

PROGRAM_SUFFIXES = (".pdmodel", ".json", ".pbtxt")
BARE = ("__model__", "model")
# Names under which something else may stand: they count only if their content is a program.
_MAYBE = (".json", ".pbtxt")
_COMBINED = ("__params__", "params", "weights")
_INFO = ".pdiparams.info"
# Half of a model: said, and not judged.
_NO_PROGRAMS = {
    ".pdparams": "weights without a program (.pdparams)",
    ".pdopt": "the state of an optimizer (.pdopt)",
    ".nb": "a Paddle-Lite model (.nb)",
}
_RULES: tuple[tuple[type[CompatLoadError], str], ...] = (
    (UnsafeArtifactError, "CL004"),
    (WeightsMismatchError, "CL003"),
    (UnsupportedFormatError, "CL005"),
    (ArtifactNotFoundError, "CL002"),
    (DamagedArtifactError, "CL001"),
    (CompatLoadError, "CL001"),
)


@frozen
class ArtifactChecker:
    """Programs with what belongs to them."""

    kind: str = "artifact"

    def recognises(self, name: str) -> bool:
        base = os.path.basename(name.rpartition("!")[2])
        return base.endswith((*PROGRAM_SUFFIXES, *_NO_PROGRAMS)) or base in BARE

    def keeps(self, name: str) -> bool:
        """Whether a member of an archive belongs to a model, and waits for its neighbours."""
        base = os.path.basename(name.rpartition("!")[2])
        return base.endswith((*PROGRAM_SUFFIXES, ".pdiparams", _INFO)) or base in BARE + _COMBINED

    def check(self, file: Readable, target: Target) -> Judgement:
        for suffix, reason in _NO_PROGRAMS.items():
            if file.name.endswith(suffix):
                return Judgement(skipped=[Skipped(file.name, reason)])
        if _may_be_anything(file.name) and not _is_program(file):
            return Judgement(passed_over=1)
        if _is_method(file.name):
            return Judgement()  # judged with the model that it is a method of
        try:
            return _judged(inspect_whole(file.name), target, file.name, self.kind)
        except CompatLoadError as error:
            return _broken(error, target, file.name, self.kind)
        except (RecursionError, MemoryError) as error:
            return Judgement(skipped=[Skipped(file.name, f"too much for {type(error).__name__}")])

    def check_together(self, kept: Mapping[str, Any], target: Target) -> Judgement:
        """Judge the programs among the kept members of one archive.

        None stands for a member that is larger than LARGEST_KEPT.
        """
        verdict = Judgement()
        for name in kept:
            if not self.recognises(name):
                continue
            try:
                data = kept[name]
            except OSError as error:
                verdict.skipped.append(Skipped(name, str(error)))
                continue
            if data is None:
                verdict.skipped.append(Skipped(name, _too_large()))
            elif _may_be_anything(name) and not _holds_program(data, name):
                verdict.passed_over += 1
            elif not _has_parent(name, kept):
                verdict.add(self._check_kept(name, data, kept, target))
        return verdict

    def _check_kept(
        self, name: str, data: bytes, kept: Mapping[str, Any], target: Target
    ) -> Judgement:
        try:
            artifact, skipped = _from_memory(name, data, kept)
            verdict = _judged(artifact, target, name, self.kind)
        except CompatLoadError as error:
            return _broken(error, target, name, self.kind)
        except (RecursionError, MemoryError) as error:
            return Judgement(skipped=[Skipped(name, f"too much for {type(error).__name__}")])
        except OSError as error:  # of what is read only now, behind a URL
            return Judgement(skipped=[Skipped(name, str(error))])
        verdict.skipped += skipped
        return verdict


def _judged(artifact: Artifact, target: Target, path: str, kind: str) -> Judgement:
    model, findings = judge(artifact, target, path)
    return Judgement(findings=findings, checked=Counter({kind: 1}), models=[model])


def _broken(error: CompatLoadError, target: Target, path: str, kind: str) -> Judgement:
    rule = next(rule for kind_of, rule in _RULES if isinstance(error, kind_of))
    finding = Finding(
        rule=rule,
        severity=Severity.ERROR,
        path=path,
        message=error.problem,
        action=error.action or "Fetch or save the model again.",
        target=str(target),
    )
    return Judgement(findings=[finding], checked=Counter({kind: 1}))


def is_program_file(path: str) -> bool:
    """Whether the file at ``path``, which is named as a program may be, counts as one.

    Settings that are named so do not; a damaged ``.pdmodel`` does.
    """
    return not _may_be_anything(path) or _is_program(DiskFile(path))


def _may_be_anything(name: str) -> bool:
    return name.endswith(_MAYBE) or os.path.basename(name.rpartition("!")[2]) == "model"


def _is_program(file: Readable) -> bool:
    head = file.read(HEAD_BYTES)
    return _holds_program(head, file.name) or (
        len(head) == HEAD_BYTES
        and recognise(head, file.name) is Kind.JSON
        and is_pir(file.read(LARGEST_KEPT))
    )


def _holds_program(data: bytes, name: str) -> bool:
    kind = recognise(data[:HEAD_BYTES], name)
    return kind in PROGRAMS or (kind is Kind.JSON and is_pir(data))


def _is_method(path: str) -> bool:
    return any(os.path.isfile(parent) for parent in _parents(path))


def _has_parent(name: str, kept: Mapping[str, Any]) -> bool:
    return any(parent in kept for parent in _parents(name))


def _parents(path: str) -> list[str]:
    """``model.json`` for ``model.encode.json``: the models that it may be a method of."""
    for suffix in (".pdmodel", ".json"):
        if path.endswith(suffix):
            stem, found = path[: -len(suffix)], []
            while "." in os.path.basename(stem):
                stem = stem.rpartition(".")[0]
                found.append(stem + suffix)
            return found
    return []


def _from_memory(name: str, data: bytes, kept: Mapping[str, Any]) -> tuple[Artifact, list[Skipped]]:
    """The artifact that some members of an archive are; weights too large are not compared."""
    kind = recognise(data[:HEAD_BYTES], name)
    kind = Kind.PIR if kind is Kind.JSON and is_pir(data) else kind
    if kind not in PROGRAMS:
        raise not_a_program(name, kind)
    decoded = _decoded(name, data, PROGRAMS[kind])
    methods = dict(_methods(name, decoded.format, kept))
    expected, stored, skipped = decoded.parameters, None, []
    for beside in _weights_names(name):
        if beside in kept:
            stored = kept[beside]
            if stored is None:
                skipped.append(Skipped(beside, _too_large()))
            break
    else:
        if expected and name.endswith((".pdmodel", ".json")):
            raise ArtifactNotFoundError(
                f"{name} wants {len(expected)} parameters, and its weights are missing.",
                action="Put the weights that were saved with the program beside it.",
                artifact=name,
            )
    info = kept.get(_stem(name) + _INFO)
    if info is not None and decoded.format is Format.LEGACY:
        audit_info(info, _stem(name) + _INFO)
    artifact = replace(
        _artifact(name, decoded, data),
        method_artifacts={
            _method_of(other): _artifact(other, method, kept[other] or b"")
            for other, method in methods.items()
        },
    )
    if stored is not None:
        shared = _of_all_methods(expected, methods, kept)
        found = weights.match_combined(
            weights.MemorySource(stored) if isinstance(stored, bytes) else stored, shared, name
        )
        own = {spec.name for spec in expected}
        artifact = replace(artifact, parameters=tuple(one for one in found if one.name in own))
    return artifact, skipped


def _methods(
    name: str, kind: Format, kept: Mapping[str, Any]
) -> Iterator[tuple[str, DecodedProgram]]:
    """The further methods of a model, as ``inspect_whole`` finds them beside a file."""
    for other in sorted(one for one in kept if name in _parents(one)):
        data = kept[other]
        if data and _method_of(other).isidentifier() and _holds_program(data, other):
            yield other, _decoded(other, data, kind)


def _method_of(path: str) -> str:
    return _stem(path).rpartition(".")[2]


def _artifact(name: str, decoded: DecodedProgram, data: bytes) -> Artifact:
    """A program whose weights nobody has looked at."""
    described = (
        Parameter(spec.name, spec.dtype or "", tuple(spec.shape or ()))
        for spec in decoded.parameters
    )
    return artifact_of(decoded, ArtifactFiles(name), tuple(described), data)


def _decoded(name: str, data: bytes, kind: Format) -> DecodedProgram:
    if kind is Format.PIR:
        return pir_json.decode(data, name)
    return program_desc.decode(data, name, text=kind is Format.LEGACY_TEXT)


def _of_all_methods(
    expected: tuple[TensorSpec, ...],
    methods: Mapping[str, DecodedProgram],
    kept: Mapping[str, Any],
) -> tuple[TensorSpec, ...]:
    """What one weights file holds: with ``combine_params`` the parameters of every method."""
    if all(kept.get(_stem(path) + ".pdiparams") is not None for path in methods):
        return expected
    every = {spec.name: spec for spec in expected}
    for method in methods.values():
        every.update((spec.name, spec) for spec in method.parameters)
    return tuple(every[one] for one in sorted(every))


def _weights_names(name: str) -> list[str]:
    folder = name[: max(name.rfind("/"), name.rfind("!")) + 1]
    beside = [folder + one for one in _COMBINED]
    return [_stem(name) + ".pdiparams", *beside] if _stem(name) != name else beside


def _stem(name: str) -> str:
    return next(
        (name[: -len(one)] for one in PROGRAM_SUFFIXES if name.endswith(one)),
        name,
    )


def _too_large() -> str:
    return f"larger than {LARGEST_KEPT >> 20} MiB in an archive"
