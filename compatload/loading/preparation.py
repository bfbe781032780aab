"""Turn the inspected programs into those that a step loads: converted, repaired, translated."""

from __future__ import annotations

from types import ModuleType

from compatload.artifact.model import Artifact, Format
from compatload.conversion.legacy_repairs import repair
from compatload.errors import IncompatibleError
from compatload.planning import Step, Strategy, describe
from compatload.runtime.model import Runtime


def source_of(artifact: Artifact, step: Step, runtime: Runtime) -> Artifact:
    """What a step loads: the artifact itself, or what it was converted into."""
    if step.strategy is not Strategy.CONVERT or step.target == "pir":
        return artifact
    raise IncompatibleError(
        f"{artifact.path} was saved by paddle {artifact.saved_by} and does not load in "
        f"{describe(runtime)}: {step.reason}",
        action="Save the model again with the Paddle that is installed here.",
        artifact=artifact.path,
        runtime=describe(runtime),
        rule=step.rules[0],
    )


def prepared_programs(
    artifact: Artifact, step: Step, paddle: ModuleType
) -> tuple[dict[str, bytes], Format]:
    """The programs to load, by method (``"forward"`` is the model itself), and their format."""
    programs = {"forward": artifact.program_bytes}
    programs |= {name: part.program_bytes for name, part in artifact.method_artifacts.items()}
    version = str(paddle.__version__)
    if step.strategy is Strategy.CONVERT and artifact.format is Format.PIR:
        from compatload.conversion.pir_versions import convert_pir_bytes

        return {n: convert_pir_bytes(data, version)[0] for n, data in programs.items()}, Format.PIR
    if artifact.format is Format.PIR:
        return programs, Format.PIR
    repaired = {name: repair(data, version).data for name, data in programs.items()}
    if step.strategy is not Strategy.TRANSLATE:
        return repaired, Format.LEGACY
    from compatload.conversion.legacy_to_pir import translate_in_process

    return {name: translate_in_process(data) for name, data in repaired.items()}, Format.PIR
