"""Inputs that a caller gave for a first run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.artifact.model import TensorSpec
from compatload.serving.options import InferenceOptions
from compatload.serving.shapes import require_shapes, shaped
from compatload.trials.samples import given_samples


def given_inputs(options: InferenceOptions, inputs: Sequence[TensorSpec]) -> dict[str, Any]:
    """The arrays by name; none where none were given.

    Raises UsageError where arrays or shapes are not those of the model, or not the same.
    """
    wanted = shaped(inputs, options.shapes)
    if options.sample_inputs is None:
        return {}
    samples = given_samples(options.sample_inputs, wanted)
    require_shapes(samples, options.shapes or {})
    return samples
