"""CL121: NaN in a PIR file, which Paddle writes in a way that it does not read."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.programs.translated_program import spell_nan

RULE = "CL121"


def readable(artifact: Artifact) -> Artifact:
    """``artifact`` with a program that Paddle reads; itself where it does."""
    data = spell_nan(artifact.program_bytes) if artifact.format is Format.PIR else b""
    if not data or data == artifact.program_bytes:
        return artifact
    return replace(
        artifact,
        program=pir_json.decode(data, artifact.files.program).program,
        program_bytes=data,
        notes=(*artifact.notes, f"NaN is spelled as Paddle reads it [{RULE}]"),
    )
