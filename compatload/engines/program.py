"""The program that an engine is handed in place of the model's own: legacy, and of operators that
the engine has."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Artifact, Format
from compatload.artifact.program_desc import binary, decode
from compatload.engines.facts import require_supported
from compatload.engines.rewriting import rewritten
from compatload.errors import IncompatibleError
from compatload.frozen import frozen
from compatload.programs.legacy_defaults import with_defaults
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.target import LEGACY_RELEASE, target_of
from compatload.releases import OLDEST_PIR


@frozen
class EngineProgram:
    """``inputs`` and ``outputs`` are names in ``data``, in the order of the model's own, and
    ``changes`` what was rewritten, with the number of such operators."""

    data: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    changes: tuple[str, ...] = ()


def engine_program(artifact: Artifact, release: str) -> EngineProgram:
    """What OpenVINO ``release`` is handed of an artifact that was admitted.

    Raises:
        ConversionError: a PIR program has no legacy form.
        UnsupportedOperatorError: OpenVINO does not take it; all of the operators are told.
        IncompatibleError: its weights lie among those of other methods.
    """
    _require_own_weights(artifact)
    data, changes = rewritten(_legacy(artifact), artifact.path)
    program = decode(data, artifact.path).program
    require_supported(program, release, artifact.path)
    return EngineProgram(
        data,
        tuple(spec.name for spec in program.inputs),
        tuple(spec.name for spec in program.outputs),
        changes,
    )


def _legacy(artifact: Artifact) -> bytes:
    if artifact.format is not Format.PIR:
        data = binary(artifact)
        # Operators of 1.x as later ones, which 2.6 itself would not need.
        data = repair(data, OLDEST_PIR, translated=False, path=artifact.path).data
        return with_defaults(data, LEGACY_RELEASE)[0]
    # Most models need neither, nor what they import.
    from compatload.programs.make import convert_pir_programs
    from compatload.programs.pir_repairs import repaired

    whole, _ = repaired(artifact, ())
    alone = replace(whole, methods={}, method_artifacts={})
    return convert_pir_programs(alone, target_of("legacy", None)).programs["forward"]


def _require_own_weights(artifact: Artifact) -> None:
    """OpenVINO reads the weights in the order of this program's names, whatever else is there."""
    shared = [
        method
        for method, part in artifact.method_artifacts.items()
        if part.files.parameters == artifact.files.parameters
        and {one.name for one in part.parameters} - {one.name for one in artifact.parameters}
    ]
    if shared and artifact.files.parameters_combined:
        raise IncompatibleError(
            f"{artifact.path} shares one file of weights with its methods {', '.join(shared)}, "
            "which only Paddle reads",
            action='Load it with engine="paddle".',
            artifact=artifact.path,
        )
