"""One model served in several ways, timed side by side: ``compatload bench``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import TensorSpec
from compatload.engines.known import ENGINES
from compatload.errors import CompatLoadError, UsageError
from compatload.frozen import frozen
from compatload.loading.execution import first_line
from compatload.loading.report import load_report
from compatload.planning import describe
from compatload.serving.load import inference_layer
from compatload.serving.shapes import shaped
from compatload.store.measured import runtime_here
from compatload.trials.lengths import levels_needed, with_lengths
from compatload.trials.samples import made_samples
from compatload.trials.sampling import SIZES
from compatload.trials.timing import SPINNING, quietest, timed_in_turns

# What an image model wants comes first.
_SIZES = ((1, 224), *SIZES)


@frozen
class ServingWay:
    """How a model is served: options of ``safe_load(inference_only=True)``."""

    engine: str
    threads: int
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def name(self) -> str:
        fixed = ", shapes fixed" if self.shapes else ""
        return f"{self.engine}, {self.threads} thread{'s' if self.threads > 1 else ''}{fixed}"

    def code(self, path: str) -> str:
        """The line that loads the model so."""
        fixed = f", shapes={dict(self.shapes)}" if self.shapes else ""
        return (
            f"compatload.safe_load({path!r}, inference_only=True, "
            f"engine={self.engine!r}, threads={self.threads}{fixed})"
        )


@frozen
class TimedWay:
    """``seconds`` of each call, by turn; or ``refused``, with the reason. ``notes`` are those of
    the load's report."""

    way: ServingWay
    seconds: tuple[tuple[float, ...], ...] = ()
    refused: str = ""
    notes: tuple[str, ...] = ()

    @property
    def milliseconds(self) -> float:
        """The median of the quietest turn."""
        return 1000 * quietest(self.seconds)


@frozen
class BenchComparison:
    """All ways, the fastest first and the refused last, timed with inputs of ``shapes``;
    ``engines`` are those that are installed beside Paddle, with their releases."""

    path: str
    runtime: str
    cpu: str
    engines: Mapping[str, str]
    shapes: tuple[str, ...]
    ways: tuple[TimedWay, ...]

    @property
    def fastest(self) -> TimedWay | None:
        return next((one for one in self.ways if one.seconds), None)

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


def bench(
    path: str | os.PathLike[str],
    ways: Sequence[ServingWay],
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    turns: int = 5,
    seconds: float = 0.4,
) -> BenchComparison:
    """Load the model in each way, and time calls in turns.

    Args:
        shapes: of inputs by name, where dimensions are free.

    Raises what ``safe_load`` raises where no way serves the model; UsageError for shapes that are
    not those of the model.
    """
    artifact = inspect_artifact(path)
    inputs = shaped(artifact.inputs, shapes)
    layers: dict[ServingWay, Any] = {}
    refused: list[TimedWay] = []
    failure: CompatLoadError | None = None
    for way in ways:
        try:
            layers[way] = inference_layer(
                path, engine=way.engine, threads=way.threads, shapes=dict(way.shapes) or None
            )
        except CompatLoadError as error:
            refused.append(TimedWay(way, refused=error.problem))
            failure = error
    if not layers:
        raise failure or UsageError("no way was named", action="Name an engine.")
    levels = levels_needed(artifact)
    arrays, found = _timed(inputs, levels, layers, turns, seconds)
    timed = sorted(found, key=lambda one: one.milliseconds)
    for layer in layers.values():
        layer.close()
    runtime = runtime_here()
    return BenchComparison(
        os.fspath(path),
        describe(runtime),
        runtime.cpu.name or runtime.cpu.describe(),
        {name: release for name, one in ENGINES.items() if (release := one.installed())},
        tuple("x".join(map(str, array.shape)) for array in arrays),
        (*timed, *refused),
    )


def _timed(
    inputs: Sequence[TensorSpec],
    levels: Mapping[str, int],
    layers: Mapping[ServingWay, Any],
    turns: int,
    seconds: float,
) -> tuple[list[Any], Iterator[TimedWay]]:
    """Arrays that every layer takes, and what their calls take."""
    problem = Exception()
    for sizes in _SIZES:
        arrays = made_samples(inputs, sizes)[0]
        try:
            given = list(with_lengths(arrays, levels).values())
            for layer in layers.values():
                layer(*given)
        except Exception as error:  # other sizes may suit the model better
            problem = error
            continue
        calls = {way.name: _call(layer, given) for way, layer in layers.items()}
        taken = timed_in_turns(calls, turns, seconds, SPINNING)
        return list(arrays.values()), (
            TimedWay(way, tuple(map(tuple, taken[way.name])), notes=_notes(layer))
            for way, layer in layers.items()
        )
    raise UsageError(
        f"no sizes of inputs were found that the model takes: {first_line(problem)}",
        action="Give them: --shape NAME=1x3x224x224.",
    )


def _call(layer: Any, arrays: list[Any]) -> Callable[[], object]:
    return lambda: layer(*arrays)


def _notes(layer: Any) -> tuple[str, ...]:
    report = load_report(layer)
    return report.notes if report else ()
