"""Shapes that every call of a layer has: ``shapes=`` of ``safe_load(inference_only=True)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compatload.artifact.model import TensorSpec
from compatload.errors import UsageError

Shapes = Mapping[str, Sequence[int]]


def shaped(inputs: Sequence[TensorSpec], shapes: Shapes | None) -> tuple[TensorSpec, ...]:
    """The inputs with the shapes that their calls have.

    Raises UsageError for what is no input, and for what the model leaves no room for.
    """
    shapes = shapes or {}
    names = [spec.name for spec in inputs]
    unknown = sorted(set(shapes) - set(names))
    if unknown:
        raise UsageError(
            f"the model has no input {', '.join(unknown)}; its inputs are {', '.join(names)}",
            action="Name one of these.",
        )
    return tuple(
        _with_shape(spec, tuple(shapes[spec.name])) if spec.name in shapes else spec
        for spec in inputs
    )


def renamed(
    inputs: Sequence[TensorSpec], names: Sequence[str], shapes: Shapes | None
) -> dict[str, tuple[int, ...]]:
    """The shapes by what a conversion, which keeps their order, calls the inputs.

    Raises what ``shaped`` raises.
    """
    shapes = shapes or {}
    pairs = zip(shaped(inputs, shapes), names)
    return {name: tuple(spec.shape or ()) for spec, name in pairs if spec.name in shapes}


def require_shapes(values: Mapping[str, Any], shapes: Shapes) -> None:
    """Raises UsageError where a value has another shape than its input always has."""
    for name, shape in shapes.items():
        given = tuple(values[name].shape)
        if given != tuple(shape):
            raise UsageError(
                f"{name} has the shape {list(given)}; the model was loaded for {list(shape)}",
                action="Load it without shapes=, or with these.",
            )


def _with_shape(spec: TensorSpec, shape: tuple[int, ...]) -> TensorSpec:
    own = spec.shape
    sizes = all(isinstance(size, int) and size > 0 for size in shape)
    if not sizes or (own is not None and not _within(shape, own)):
        known = "leaves it open" if own is None else f"says {list(own)}"
        raise UsageError(
            f"{spec.name} cannot always have the shape {list(shape)}: the model {known}",
            action="Give whole numbers from 1, and the model's own where it has one.",
        )
    return replace(spec, shape=shape)


def _within(shape: tuple[int, ...], own: tuple[int, ...]) -> bool:
    return len(shape) == len(own) and all(b in (a, -1) for a, b in zip(shape, own))
