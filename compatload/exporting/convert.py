"""``convert``: from one saved model to another, as another format or release of Paddle has it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, Format
from compatload.errors import ConversionError, PaddleNotFoundError, UsageError
from compatload.exporting import side_by_side as trial
from compatload.exporting.acceptance import check_numbers, check_structure
from compatload.exporting.conversion import Conversion, Verification
from compatload.exporting.loaders import doubts, foretold
from compatload.exporting.publication import made_aside, publish, told_of
from compatload.faults.catalogue import load_rules
from compatload.faults.model import Action
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.staging import held_weights, lay_out, require_unchanged
from compatload.operators.admission import require_admissible
from compatload.plan import Api
from compatload.planning import plan_load
from compatload.programs.make import ConvertedPrograms, convert_programs
from compatload.programs.pir_repairs import OF_PIR_ALONE, repaired
from compatload.programs.target import ProgramTarget, target_of
from compatload.runtime.detection import detect_runtime, runtime_for
from compatload.runtime.release import inferred_from, standing
from compatload.store.linking import duplicate

_SUFFIXES = (".pdmodel", ".json", ".pdiparams")
# What programs without a prefix of their own (1.x) are called from now on.
_BARE = {"__model__": "model"}
_NOT_ASKED = "verify=False"


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    to: str,
    verify: bool = True,
    sample_inputs: Mapping[str, Any] | None = None,
    interpreters: Sequence[str] = (),
    model_filename: str | None = None,
    params_filename: str | None = None,
    trusted: Collection[str] = (),
    trusted_operators: Collection[str] = (),
) -> Conversion:
    """Write the model at ``source`` to ``target`` so that Paddle's own loaders read it as ``to``.

    Program, weights and further methods keep the names of inputs, outputs and parameters. The
    source is never touched, and shares no file with the result; the result appears whole and
    checked, or not at all. Weights are copied by the system, not through memory. Where one of that
    release's own loaders, on a CPU, is known not to give its numbers, ``notes`` says so.

    Args:
        source: prefix, any one file of the model, or its directory.
        target: prefix of the files to write (``"dir/model"``), or an existing directory.
        to: ``"legacy"`` (``.pdmodel``), ``"pir"`` (what the installed Paddle writes),
            ``"pir-v1"`` … ``"pir-v4"``, or a release: ``"paddle==3.0.0"``.
        verify: run source and result in child processes and compare, where a Paddle at hand runs
            both; the record says what was done. Structure is checked in any case.
        sample_inputs: arrays by input name to verify with; made from its inputs else.
        interpreters: further Pythons, whose Paddles may translate, and run either side.
        model_filename, params_filename: as for ``safe_load``.
        trusted: exact names of globals that the model's pickle may ask for.
        trusted_operators: exact names of operators to let in, as for ``safe_load``.

    Raises:
        ConversionError: with every operator and attribute that stands in the way, and where; or
            where the result cannot be written, or does not compute the same.
        ArtifactError: what is at ``source`` cannot be used.
        PaddleNotFoundError: a legacy program is to become PIR, and no Paddle 3 is at hand.
        UsageError: ``to`` names nothing, or ``target`` is taken.
    """
    known = trial.interpreters(interpreters)
    wanted = target_of(to, _installed())
    found = inspect_whole(
        source,
        prefer=wanted.format.value,
        program=model_filename,
        params=params_filename,
        trusted=trusted,
    )
    require_admissible(found, trusted_operators)
    _require_loadable(found, wanted.release, trusted_operators)
    artifact, _ = repaired(found, () if wanted.format is Format.PIR else OF_PIR_ALONE)
    prefix = _prefix(target, artifact)
    converted = convert_programs(artifact, wanted, _translator(artifact, wanted, known))
    with made_aside(prefix) as files:
        with told_of(prefix):
            names = _write(files / prefix.name, artifact, wanted, converted, tuple(trusted))
        require_unchanged(artifact)
        added = ("compatload_unused_0",) if converted.weights else ()
        result, checks = check_structure(artifact, files / prefix.name, wanted, added)
        verification = Verification(
            asked=verify, structure=checks, reason="" if verify else _NOT_ASKED
        )
        if verify:
            with tempfile.TemporaryDirectory(prefix="compatload-") as directory:
                verification = check_numbers(
                    artifact, result, wanted, verification, Path(directory), known, sample_inputs
                )
        shortfalls = doubts(foretold(result, wanted.release, "cpu"))
        require_unchanged(artifact)
        written = publish(files, names, prefix)
    return Conversion(
        source=os.fspath(source),
        target=str(prefix),
        to=to,
        release=wanted.release,
        source_format=artifact.format.value,
        target_format=wanted.format.value,
        files=written,
        changes=converted.changes,
        verification=verification,
        notes=(*artifact.notes, *_standing(wanted.release), *shortfalls),
    )


def _require_loadable(artifact: Artifact, release: str, trusted_operators: Collection[str]) -> None:
    """Raise ConversionError where a rule refuses that release the model, however it is loaded:
    what a load does not try is not written either."""
    runtime = runtime_for(f"paddle=={release}")
    plans = [plan_load(artifact, runtime, api, trusted_operators=trusted_operators) for api in Api]
    first = plans[0].refusal
    if first is None or not all(plan.refusal for plan in plans):
        return
    if first.rule in {rule.id for rule in load_rules() if rule.action is Action.REFUSE}:
        raise ConversionError(
            f"{artifact.path} cannot be written for paddle {release}: {first.problem}",
            action=first.action,
            artifact=artifact.path,
            runtime=f"paddle {release}",
            rule=first.rule,
        )


def _standing(release: str) -> tuple[str, ...]:
    measured = inferred_from(release)
    return () if measured is None else (f"paddle {release} {standing(measured)}",)


def _installed() -> str | None:
    build = detect_runtime().paddle
    return build.version if build else None


def _prefix(target: str | os.PathLike[str], artifact: Artifact) -> Path:
    """Where files are written, without a suffix."""
    text = os.fspath(target)
    if not isinstance(text, str) or not text or "\0" in text:
        raise UsageError(f"{target!r} is no place for a model.", action="Give a path prefix.")
    if os.path.isdir(text) or text.endswith(("/", os.sep)):
        name = os.path.basename(artifact.files.prefix)
        return Path(text, _BARE.get(name, name))
    for suffix in _SUFFIXES:
        if text.endswith(suffix):
            text = text[: -len(suffix)]
    if not os.path.basename(text):
        raise UsageError(f"{target!r} names no file.", action='Give a prefix, as "dir/model".')
    return Path(text)


def _translator(
    artifact: Artifact, target: ProgramTarget, known: Sequence[trial.Interpreter]
) -> str | None:
    """The interpreter that translates, where a translation is needed."""
    if artifact.format is Format.PIR or target.format is not Format.PIR:
        return None
    able = trial.translator(known)
    if able is None:
        here = ", ".join(one.release for one in known) or "none"
        raise PaddleNotFoundError(
            f"Paddle 3 itself translates a legacy program to PIR; here is {here}.",
            action="Pass interpreters=[…] with a Python that has Paddle 3, or install it.",
            artifact=artifact.path,
        )
    return able.path


def _write(
    prefix: Path,
    artifact: Artifact,
    target: ProgramTarget,
    converted: ConvertedPrograms,
    trusted: tuple[str, ...],
) -> list[str]:
    """Every file of the result; their names, the program of the model itself last."""
    prepared = PreparedPrograms(converted.programs, target.format, converted.infos)
    with held_weights(artifact) as held:

        def place(source: str, target: str) -> None:
            duplicate(Path(held.get(source, source)), Path(target))

        lay_out(str(prefix), artifact, prepared, trusted, place)
    if converted.weights is not None:
        Path(f"{prefix}.pdiparams").write_bytes(converted.weights)
    program = prefix.name + target.suffix
    return [*sorted(item.name for item in prefix.parent.iterdir() if item.name != program), program]
