"""An artifact's program, laid out in a private directory and compiled by OpenVINO."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Artifact, Format
from compatload.engines import openvino
from compatload.engines.program import EngineProgram
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.staging import staged


def compiled(
    artifact: Artifact, program: EngineProgram, threads: int, count: int
) -> list[openvino.Request]:
    """Requests of the program. Raises what ``openvino.requests`` raises."""
    prepared = PreparedPrograms({"forward": program.data}, Format.LEGACY)
    alone = replace(artifact, methods={}, method_artifacts={})
    with staged(alone, prepared) as prefix:
        return openvino.requests(
            prefix + prepared.suffix, program.inputs, program.outputs, threads=threads, count=count
        )
