"""CL305, CL306, CL307: Paddle's loaders where compatload's could stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.target import Target

TRIGGERS = (
    re.compile(rb"jit\.load|jit import|load_inference_model|create_predictor|import jit|jit as "),
)

# Every public name of a loader → its rule and what takes its place.
LOADERS = {
    "paddle.jit.load": ("CL305", "safe_load"),
    "paddle.jit.api.load": ("CL305", "safe_load"),
    "paddle.static.load_inference_model": ("CL306", "safe_load_inference_model"),
    "paddle.static.io.load_inference_model": ("CL306", "safe_load_inference_model"),
    "paddle.inference.create_predictor": ("CL307", "safe_create_predictor"),
}


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    for reference in source.references():
        if reference.name in LOADERS:
            rule, substitute = LOADERS[reference.name]
            if applies(rule, target):
                yield found(
                    rule,
                    source,
                    reference.node,
                    target,
                    f"{reference.name} could be compatload.{substitute}.",
                )
