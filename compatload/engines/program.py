"""An artifact's program as an engine takes it."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Artifact, Format
from compatload.artifact.program_desc import binary, decode
from compatload.engines.engine import INSTEAD, Engine, EngineProgram
from compatload.engines.rewriting import rewritten
from compatload.errors import IncompatibleError, UnsupportedOperatorError
from compatload.faults.graph import Graph
from compatload.programs.legacy_defaults import with_defaults
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.target import LEGACY_RELEASE, target_of
from compatload.releases import RELEASES

# Its kernels compute what they are called, as engines do (CL142).
_MENDED = next(one.version for one in RELEASES if (one.pir_version or 0) > 1)
# Places that a message spells out.
_MOST_NAMED = 5


def engine_program(artifact: Artifact, engine: Engine, release: str) -> EngineProgram:
    """What ``release`` of an engine is handed of an artifact that was admitted.

    Raises:
        ConversionError: a PIR program has no legacy form.
        UnsupportedOperatorError: the engine does not take it; all of the operators are told.
        IncompatibleError: its weights lie among those of other methods.
    """
    _require_own_weights(artifact)
    data, changes = rewritten(_legacy(artifact), artifact.path, engine.own)
    if changes:
        # paddle2onnx asks for attributes that Paddle itself would take as not given.
        data = with_defaults(data, LEGACY_RELEASE)[0]
    program = decode(data, artifact.path).program
    whole = replace(artifact, format=Format.LEGACY, program=program)
    _require_supported(Graph(whole), engine, release)
    return EngineProgram(
        data,
        tuple(spec.name for spec in program.inputs),
        tuple(spec.name for spec in program.outputs),
        tuple(spec.name for spec in program.outputs if spec.shape == ()),
        changes,
    )


def _require_supported(graph: Graph, engine: Engine, release: str) -> None:
    """Return only if the engine is not known to refuse a program, or to err with it."""
    found, path = engine.objections(graph, release), graph.artifact.path
    if found:
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise UnsupportedOperatorError(
            f"{path} has operators that {engine.title} {release} does not run: "
            f"{'; '.join(found[:_MOST_NAMED])}{more}",
            action=INSTEAD,
            artifact=path,
        )


def _legacy(artifact: Artifact) -> bytes:
    if artifact.format is not Format.PIR:
        data = binary(artifact)
        # Operators of 1.x as later ones, which 2.6 itself would not need.
        data = repair(data, _MENDED, translated=False, path=artifact.path).data
        return with_defaults(data, LEGACY_RELEASE)[0]
    # Most models need neither, nor what they import.
    from compatload.programs.make import convert_pir_programs
    from compatload.programs.pir_repairs import OF_PIR_ALONE, repaired

    whole, _ = repaired(artifact, OF_PIR_ALONE)
    alone = replace(whole, methods={}, method_artifacts={})
    return convert_pir_programs(alone, target_of("legacy", None)).programs["forward"]


def _require_own_weights(artifact: Artifact) -> None:
    """Engines read the weights in the order of this program's names, whatever else is there."""
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
            action=INSTEAD,
            artifact=artifact.path,
        )
