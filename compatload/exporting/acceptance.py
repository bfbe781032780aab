"""How a converted model is checked before it gets its name.

Structure, always: its files are inspected like any others and held against the source. Numbers,
where asked for and where a Paddle at hand can run both: see ``trial``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, Format, Program, TensorSpec
from compatload.artifact.program_desc import binary, decode
from compatload.artifact.program_structure import require_sound
from compatload.errors import ConversionError
from compatload.exporting import side_by_side as trial
from compatload.exporting.conversion import Verification
from compatload.operators.mistyped import ALWAYS_FLOAT32, AS_GIVEN
from compatload.operators.requirements import flaws
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.target import ProgramTarget
from compatload.trials.comparison import CONVERTED

_MISTYPED = frozenset(f"pd_op.{name}" for name in (*ALWAYS_FLOAT32, *AS_GIVEN))
_ACTION = "Report this conversion with the model; nothing was written."


def check_structure(
    source: Artifact, prefix: Path, target: ProgramTarget, added: Sequence[str] = ()
) -> tuple[Artifact, tuple[str, ...]]:
    """The result as it is on disk, and the checks that it passed.

    Args:
        added: parameters that the conversion added.

    Raises ConversionError where it does not have the source's inputs, outputs, parameters or
    methods.
    """
    result = inspect_whole(str(prefix), prefer=target.format.value)
    obstacles = _deviations(source, result, "", added, target.release)
    for method in sorted(source.method_artifacts.keys() | result.method_artifacts.keys()):
        one, other = source.method_artifacts.get(method), result.method_artifacts.get(method)
        if one is None or other is None:
            obstacles.append(f"method {method}: only {'result' if one is None else 'source'}")
        else:
            obstacles += _deviations(one, other, f"{method}: ", (), target.release)
    checks = ["inputs, outputs and parameters have the source's names, types and shapes"]
    if target.format is Format.LEGACY:
        for part in (result, *result.method_artifacts.values()):
            require_sound(part.program, part.path)
            obstacles += flaws(part)
        checks.append("every operator has the slots that Paddle's own protos list")
    if obstacles:
        raise ConversionError(
            "The converted model is not what the source is.",
            obstacles=obstacles,
            action=_ACTION,
            artifact=source.path,
        )
    return result, tuple(checks)


def _deviations(
    one: Artifact, other: Artifact, where: str, added: Sequence[str], release: str
) -> list[str]:
    found = []
    for kind, first, second in (
        ("input", one.inputs, other.inputs),
        ("output", one.outputs, other.outputs),
    ):
        if [spec.name for spec in first] != [spec.name for spec in second]:
            names = ", ".join(spec.name for spec in second)
            wanted = ", ".join(spec.name for spec in first)
            found.append(f"{where}{kind}s are ({names}), and the source's are ({wanted})")
            continue
        for spec, made in zip(first, second):
            if kind == "output" and _is_mistyped(one):
                spec = replace(spec, dtype=made.dtype)
            if not _alike(spec, made, exact=kind == "input"):
                found.append(f"{where}{kind} {spec.name} is {_told(made)}, not {_told(spec)}")
    if found and one.format is Format.LEGACY:
        corrected = replace(one, program=_corrected(one, release))
        if corrected.program.outputs != one.program.outputs:
            return _deviations(corrected, other, where, added, release)
    stored = {p.name: (p.dtype, p.shape) for p in one.parameters}
    held = {p.name: (p.dtype, p.shape) for p in other.parameters if p.name not in added}
    for name in sorted(stored.keys() | held.keys()):
        if stored.get(name) != held.get(name):
            found.append(f"{where}parameter {name}: {held.get(name)}, not {stored.get(name)}")
    return found


def _corrected(artifact: Artifact, release: str) -> Program:
    """The program with the types that its values have, where 2.6 declares others (CL114)."""
    made = repair(binary(artifact), release, decoded=artifact.program, path=artifact.path)
    return decode(made.data, artifact.path).program


def _is_mistyped(artifact: Artifact) -> bool:
    """Whether types that a PIR program declares need not be those of what it gives."""
    return artifact.format is Format.PIR and not _MISTYPED.isdisjoint(
        artifact.program.operator_counts
    )


def _alike(spec: TensorSpec, made: TensorSpec, exact: bool) -> bool:
    """Same type and shape; of outputs, Paddle infers some dimensions for one format only."""
    if None not in (spec.dtype, made.dtype) and spec.dtype != made.dtype:
        return False
    if spec.shape is None or made.shape is None or spec.shape == made.shape:
        return True
    if exact or len(spec.shape) != len(made.shape):
        return not exact and -1 in (*spec.shape, *made.shape)
    return all(a == b or a < 0 or b < 0 for a, b in zip(spec.shape, made.shape))


def _told(spec: TensorSpec) -> str:
    return f"{spec.dtype}{list(spec.shape) if spec.shape is not None else ''}"


def check_numbers(
    source: Artifact,
    result: Artifact,
    target: ProgramTarget,
    verification: Verification,
    directory: Path,
    known: Sequence[trial.Interpreter],
    inputs: Mapping[str, Any] | None = None,
) -> Verification:
    """``verification`` with what the numbers say.

    Args:
        directory: empty, for samples and for what child processes tell.
        known: interpreters that may run either side.
        inputs: arrays by input name; made from the program's inputs where none are given.

    Raises ConversionError where source and result disagree.
    """
    runner = trial.runs_source(source, known)
    if runner is None:
        return replace(verification, reason=_nobody(source.format.value, "source", known))
    tester = trial.runs_result(result, target, known)
    if tester is None:
        return replace(verification, reason=_nobody(result.format.value, "result", known))
    for name in ("source", "result"):
        (directory / name).mkdir()
    given = _written(directory, inputs)
    samples = trial.run_source(source, runner, directory / "source", given)
    verification = replace(verification, source_paddle=runner.release)
    if not samples.samples:
        return replace(verification, reason=samples.reason)
    trials, disagree = trial.run_result(result, tester, directory / "result", samples)
    differing = [one for one in trials if one.difference is not None]
    verification = replace(
        verification, result_paddle=tester.release, tolerance=CONVERTED, trials=trials
    )
    wrong = [one for one in differing if not (one.difference or 0.0) <= CONVERTED]
    if wrong or disagree or not differing:
        told = [f"{one.api}: {one.problem}" for one in trials if one.problem]
        told += [
            f"{one.api}: differs by {one.difference:.3g} for inputs {one.shapes}" for one in wrong
        ]
        raise ConversionError(
            f"Paddle {tester.release} does not compute from the result what "
            f"Paddle {runner.release} computes from the source.",
            obstacles=told,
            action=_ACTION,
            artifact=source.path,
        )
    return replace(verification, outcome="agrees")


def _nobody(what: str, side: str, known: Sequence[trial.Interpreter]) -> str:
    here = ", ".join(one.release for one in known) or "none"
    return f"no Paddle at hand (paddle {here}) runs the {side} as the {what} program that it is"


def _written(directory: Path, inputs: Mapping[str, Any] | None) -> Path | None:
    if inputs is None:
        return None
    import numpy

    path = directory / "given.npz"
    numpy.savez(path, **inputs)
    return path
