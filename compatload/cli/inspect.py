"""Tell what a saved model is, without Paddle."""

from __future__ import annotations

import argparse
import json

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, TensorSpec

EXIT_CODES = "exit codes: 0 told, 1 it cannot be read, 2 usage, 3 no model there"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="prefix, any one file of a model, or its directory")
    parser.add_argument("--json", action="store_true", help="everything, for programs")


def run(arguments: argparse.Namespace) -> int:
    artifact = inspect_whole(arguments.path)
    print(json.dumps(artifact.to_dict(), indent=2) if arguments.json else describe(artifact))
    return 0


def describe(artifact: Artifact) -> str:
    """The artifact in a screenful of text."""
    stored = sum(parameter.nbytes or 0 for parameter in artifact.parameters)
    version = f", PIR version {artifact.pir_version}" if artifact.pir_version is not None else ""
    lines = [
        f"{artifact.path}",
        f"  format      {artifact.format.value}{version}",
        f"  saved by    paddle {artifact.saved_by or 'unknown'}",
        f"  program     {artifact.files.program}",
        f"  parameters  {len(artifact.parameters)}, {stored:,} bytes",
    ]
    if artifact.methods:
        lines.append(f"  methods     forward, {', '.join(artifact.methods)}")
    lines += [f"  input       {_spec(spec)}" for spec in artifact.inputs]
    lines += [f"  output      {_spec(spec)}" for spec in artifact.outputs]
    if artifact.program.has_control_flow:
        lines.append("  control flow, yes")
    counts = sorted(artifact.program.operator_counts.items(), key=lambda item: -item[1])
    lines.append("  operators   " + ", ".join(f"{name} ×{count}" for name, count in counts))
    lines += [f"  evidence    {text}" for text in artifact.evidence]
    lines += [f"  note        {text}" for text in artifact.notes]
    return "\n".join(lines)


def _spec(spec: TensorSpec) -> str:
    shape = "?" if spec.shape is None else " × ".join("?" if n < 0 else str(n) for n in spec.shape)
    return f"{spec.name}: {spec.dtype or '?'} [{shape}]"
