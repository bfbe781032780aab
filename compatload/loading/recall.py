"""Loads of the very same model into the very same runtime, as they went before.

What a model is, how it is loaded and what is handed to Paddle follow from its bytes, the request
and the runtime. So a load that worked is kept in the cache, and a later one of the same program,
with weights that nobody touched since, decodes, plans, audits and converts nothing: it hands Paddle
the very bytes that were checked then. It is a short cut only: where anything differs, or fails, the
model is loaded as if it had never been seen. ``COMPATLOAD_CACHE=off`` keeps nothing.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import astuple, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, TypeVar

from compatload._version import __version__
from compatload.artifact.deferred import DeferredProgram
from compatload.artifact.files import FileIdentity, identify, read_file
from compatload.artifact.hashes import Hashes
from compatload.artifact.locate import Candidate, locate
from compatload.artifact.model import Artifact, Format, Program, TensorSpec
from compatload.errors import CompatLoadError, LoadError
from compatload.frozen import frozen
from compatload.loading.configs import native_format
from compatload.loading.execution import carry_out
from compatload.loading.folded import (
    FoldedFiles,
    Folding,
    FoldingPlace,
    folded_files,
    is_off,
    may_fold,
)
from compatload.loading.prepared import PreparedPrograms, UnreadableError, read, write
from compatload.loading.report import load_report
from compatload.loading.request import Request
from compatload.plan import Api, Plan, Step
from compatload.runtime.model import IrMode, Runtime
from compatload.store.cache import OFF, VARIABLE, ConversionCache
from compatload.store.entry import code_stamp, content_key

logger = logging.getLogger("compatload")

Loaded = TypeVar("Loaded")

_MAX_INFO_BYTES = 1 << 24
_digests = Hashes()
# The key of this process's last load of each place.
_latest: dict[tuple[str, ...], str] = {}


@frozen
class Recollection:
    """A load that worked: its plan, whose first step succeeded, and what Paddle was handed.

    Inputs and outputs of ``artifact`` are known, its operators are decoded on first use, and its
    ``parameters`` are not known. ``more`` is what the one who kept it wanted to know again.
    """

    artifact: Artifact
    plan: Plan
    prepared: PreparedPrograms
    more: Mapping[str, Any]


@frozen
class _Seen:
    """The files of a model as they are now, by which an earlier load of them is found again.

    ``place`` stays the same when the files are exchanged for others; ``content`` is what they are.
    """

    key: str
    place: tuple[str, ...]
    candidate: Candidate
    program: bytes
    identities: tuple[FileIdentity, ...]
    content: tuple[str | bytes, ...]


class Memory:
    """What is known of one request, and what is to be kept of it.

    ``request`` asks for the model's folded form where that is known to be as good
    (``loading.folded``); its files are there until ``close``.
    """

    def __init__(self, request: Request, runtime: Runtime) -> None:
        self._seen = _seen(request, runtime)
        place = _folding_place(request, runtime, self._seen)
        verdict = place.verdict() if place else None
        self._folded = _folded(request, runtime, self._seen, verdict)
        if self._folded is not None and verdict is not None:
            request = folded_request(request, self._folded.path, verdict.delete_passes)
            self._seen = _seen(request, runtime, self._seen)
        self.request = request
        self.known = _recollection(request, self._seen) if self._seen else None
        if self._seen and self.known:
            _supersede(self._seen)

    def replay(
        self,
        load: Callable[[Recollection, Step], tuple[Loaded, tuple[str, ...]]],
        started: float,
    ) -> Loaded | None:
        """What ``load`` returns for what is known; None where nothing is, or it fails this time."""
        known = self.known
        if known is None:
            return None
        plan = replace(known.plan, steps=known.plan.steps[:1])
        try:
            return carry_out(
                plan, known.artifact, lambda step: load(known, step), started, recalled=True
            )
        except LoadError as error:
            logger.warning("%s: loaded anew, since it fails as before: %s", plan.artifact, error)
            return None

    def close(self, loaded: object | None = None) -> None:
        """Let go of folded files; ``loaded`` may be cloned by its owner, who needs some."""
        if self._folded is None:
            return
        if loaded is not None and not self.request.pooled:
            self._folded.leave_to(loaded)
        self._folded.close()

    def keep(
        self,
        loaded: object,
        artifact: Artifact,
        plan: Plan,
        prepared: PreparedPrograms | None,
        **more: object,
    ) -> None:
        """Keep a load that worked at its first step, and ``more``, which JSON can hold."""
        seen, report = self._seen, load_report(loaded)
        if seen is None or prepared is None or report is None or report.attempts:
            return
        if artifact.program_bytes != seen.program or artifact.identities != seen.identities:
            return  # exchanged meanwhile
        try:
            info = _info(artifact, prepared)
        except CompatLoadError:
            return
        about = {
            "plan": plan.to_dict(),
            "notes": list(artifact.notes),
            "info": info,
            "inputs": [astuple(spec) for spec in artifact.inputs],
            "outputs": [astuple(spec) for spec in artifact.outputs],
            "more": more,
        }
        kept = replace(prepared, infos={})

        def make(directory: Path) -> None:
            write(directory, kept, about)

        shown = {"model": artifact.path, "for": plan.runtime, "from": plan.format}
        ConversionCache().keep(seen.key, make, about=shown)
        _supersede(seen)


def folding_place(request: Request, runtime: Runtime) -> FoldingPlace | None:
    """Where the verdict on a model's folded form is kept; None where there can be none.

    A predictor as Paddle makes it by itself, on a CPU, of a program with normalisations.
    """
    return _folding_place(request, runtime, _seen(request, runtime))


def folded_request(request: Request, path: str, delete_passes: tuple[str, ...]) -> Request:
    """The same load of the model's folded form, which is at ``path``."""
    return replace(
        request,
        path=path,
        named=os.fsdecode(request.path),
        program=None,
        params=None,
        delete_passes=delete_passes,
    )


def _folding_place(request: Request, runtime: Runtime, seen: _Seen | None) -> FoldingPlace | None:
    if seen is None or request.api is not Api.PREDICTOR:
        return None
    on_cpu = request.device == "cpu" or (runtime.paddle and runtime.paddle.flavour == "cpu")
    if not on_cpu or request.config or request.disabled_rules or is_off():
        return None
    if not may_fold(seen.candidate.format, seen.program):
        return None
    return FoldingPlace(_place(runtime), str(seen.content[0]), seen.identities[-1])


def _folded(
    request: Request, runtime: Runtime, seen: _Seen | None, verdict: Folding | None
) -> FoldedFiles | None:
    """The model's folded form, where a child found that it computes the very same numbers."""
    if seen is None or verdict is None or verdict.problem:
        return None
    if not (request.pooled or verdict.alike):  # its clones are of the model as it was saved
        return None
    try:
        artifact = request.outline(runtime)
        if artifact.identities != seen.identities or artifact.program_bytes != seen.program:
            return None
        files = folded_files(artifact)
        if files is None or files.folded.bits == verdict.bits:
            return files
        files.close()
        logger.warning("%s is not folded: its weights get other numbers here", artifact.path)
    except (CompatLoadError, OSError) as error:
        logger.debug("%s is not folded: %s", os.fsdecode(request.path), error)
    return None


def _supersede(seen: _Seen) -> None:
    """Forget the load of the files that this process had found in the same place before.

    A service may exchange its weights every second, and does not go back to earlier ones.
    """
    before = _latest.get(seen.place)
    _latest[seen.place] = seen.key
    if before is not None and before != seen.key:
        ConversionCache().forget(before)


def _info(artifact: Artifact, prepared: PreparedPrograms) -> Mapping[str, object] | None:
    """The audited content of the ``.pdiparams.info`` that Paddle was handed, if any."""
    if prepared.format is Format.PIR:
        return None
    if "forward" not in prepared.infos:
        return artifact.info
    from compatload.artifact.pickle_audit import audit_info

    audited: Any = audit_info(prepared.infos["forward"], artifact.path).value
    return dict(audited)


def _seen(request: Request, runtime: Runtime, saved: _Seen | None = None) -> _Seen | None:
    """None where a load of that kind is not kept.

    Folded files are new each time: what they are made of is ``saved``.
    """
    anew = request.anew or request.trusted or request.trusted_operators
    if os.environ.get(VARIABLE) == OFF or anew or runtime.paddle is None:
        return None
    try:
        path = os.fsdecode(request.path)
        candidates = locate(
            path,
            prefer=native_format(runtime),
            program=request.program,
            params=request.params,
        )
        candidate, files = candidates[0], candidates[0].files
        if len(candidates) > 1 or not _is_simple(candidate):
            return None
        if request.verify is not False and files.record is not None:
            return None
        program, identity = read_file(files.program)
        weights = identify(files.parameters[0])
        identities = [identity, weights]
        parts: list[str | bytes] = [_digest(program, identity)]
        if files.info is not None and candidate.format is Format.LEGACY:
            info, identity = read_file(files.info, _MAX_INFO_BYTES)
            identities.append(identity)
            parts.append(info)
        parts.append(repr(weights.state if saved is None else saved.content))
    except (CompatLoadError, OSError, TypeError, ValueError):
        return None  # the load itself will say what is wrong
    kind = ("recall", *_circumstances(request, runtime), candidate.format.value)
    place = (*kind, os.path.abspath(files.program), os.path.abspath(files.parameters[0]))
    if saved is not None:
        place = saved.place
    key = content_key(*kind, *parts)
    return _Seen(key, place, candidate, program, tuple(identities), tuple(parts))


def _digest(data: bytes, identity: FileIdentity) -> str:
    """The hash of what was read of a file, which is not hashed again until it is touched."""

    def digest() -> str:
        return hashlib.sha256(data).hexdigest()

    return _digests.of(identity, digest) if identity.is_unchanged() else digest()


def _is_simple(candidate: Candidate) -> bool:
    """Whether it is one program with one file of weights, which is how nearly all are saved."""
    files = candidate.files
    return (
        candidate.format in (Format.LEGACY, Format.PIR)
        and not candidate.methods
        and not candidate.notes
        and len(files.parameters) == 1
        and files.parameters_combined
    )


def _circumstances(request: Request, runtime: Runtime) -> list[str]:
    """Everything beside the model that decides a load."""
    return [
        __version__,
        code_stamp(),
        _place(runtime),
        request.api.value,
        repr(request.pooled),
        repr(request.device),
        repr(request.config),
        repr(sorted(request.disabled_rules)),
    ]


@lru_cache(maxsize=4)
def _place(runtime: Runtime) -> str:
    # Whether paddle was imported before changes nothing, nor how its mode came about.
    place = replace(runtime, imported=False, ir_mode=IrMode(runtime.ir_mode.pir, ""), notes=())
    features = sorted(place.cpu.features)
    return repr(replace(place, cpu=replace(place.cpu, features=frozenset()))) + repr(features)


def _recollection(request: Request, seen: _Seen) -> Recollection | None:
    entry = ConversionCache().find(seen.key)
    if entry is None:
        return None
    try:
        return _read(entry, request, seen)
    except (UnreadableError, CompatLoadError, KeyError, TypeError, ValueError) as error:
        logger.debug("%s is not used: %s", entry, error)
        return None


def _read(entry: Path, request: Request, seen: _Seen) -> Recollection:
    prepared, about = read(entry)
    path = request.named or os.fsdecode(request.path)
    plan = replace(Plan.from_dict(about["plan"]), artifact=path)
    if prepared.programs.keys() != {"forward"} or prepared.infos or not plan.steps:
        raise UnreadableError("it holds another kind of load")
    artifact = Artifact(
        path,
        seen.candidate.format,
        seen.candidate.files,
        DeferredProgram(
            lambda: _decoded(seen), inputs=_specs(about["inputs"]), outputs=_specs(about["outputs"])
        ),
        (),
        plan.saved_by,
        notes=tuple(map(str, about["notes"])),
        program_bytes=seen.program,
        info=about["info"],
        identities=seen.identities,
    )
    return Recollection(artifact, plan, prepared, dict(about["more"]))


def _specs(told: Any) -> tuple[TensorSpec, ...]:
    return tuple(
        TensorSpec(str(name), dtype, None if shape is None else tuple(shape))
        for name, dtype, shape in told
    )


def _decoded(seen: _Seen) -> Program:
    from compatload.artifact.outline import decode

    candidate = seen.candidate
    return decode(seen.program, candidate.format, candidate.files.program).program
