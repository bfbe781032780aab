"""Sample inputs, the layer's own outputs for them, and what the saved model makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from compatload.artifact.record import StoredArray, stored
from compatload.errors import ExportError, UsageError
from compatload.frozen import frozen
from compatload.loading.own_loaders import own_loaders
from compatload.trials.comparison import relative_difference
from compatload.trials.layers import run
from compatload.trials.sampling import InputShape, candidates, sample

SEED = 0
# Inputs given by the caller are kept in the record up to this size; larger ones are only used.
MOST_SAMPLE_BYTES = 256 << 10
_HALF = 50  # half precision has 3 digits where single has 7: the tolerance grows by this


@frozen
class Samples:
    """Inputs with the layer's outputs. ``outputs`` is empty if the layer is not deterministic."""

    spec: Sequence[Any] | None
    inputs: tuple[tuple[Any, ...], ...]  # one tuple of arrays a round
    outputs: tuple[tuple[Any, ...], ...]
    described: tuple[Mapping[str, object], ...]
    seed: int | None = None
    sizes: tuple[int, int] | None = None
    stored_inputs: tuple[StoredArray, ...] = ()
    stored_outputs: tuple[StoredArray, ...] = field(default=())


def prepared_samples(
    layer: Any, input_spec: Sequence[Any] | None, given: Sequence[Any] | None
) -> Samples:
    """Samples from what the caller gave, or from the specification.

    Raises:
        UsageError: neither says what the inputs are.
        ExportError: the layer takes none of the shapes that were tried.
    """
    spec = input_spec if input_spec is not None else _own_spec(layer)
    if spec is None and given is None:
        raise UsageError(
            "nothing says what the inputs of the layer are.",
            action="Pass input_spec=[paddle.static.InputSpec(shape, dtype), …].",
        )
    if given is not None:
        return _given(layer, spec, given)
    shapes = _shapes(spec)
    rounds: list[tuple[tuple[int, int], tuple[Any, ...], tuple[Any, ...]]] = []
    problem: Exception | None = None
    for sizes in candidates(shapes):
        arrays = tuple(sample(shapes, sizes, SEED))
        try:
            rounds.append((sizes, arrays, run(layer, arrays)))
        except Exception as error:  # a size that this layer does not take
            problem = error
        if len(rounds) == 2:  # a second shape shows what was wrongly taken for constant
            break
    if not rounds:
        raise ExportError(
            f"the layer itself fails on inputs made from input_spec: {problem}",
            action="Pass sample_inputs=[…] that it takes.",
        ) from problem
    sizes, arrays, outputs = rounds[0]
    steady = _is_steady(layer, arrays, outputs)
    return Samples(
        spec=spec,
        inputs=tuple(arrays for _, arrays, _ in rounds),
        outputs=tuple(outputs for _, _, outputs in rounds) if steady else (),
        described=tuple(_described(shape) for shape in shapes),
        seed=SEED,
        sizes=sizes,
        stored_outputs=tuple(stored(array) for array in outputs) if steady else (),
    )


def _given(layer: Any, spec: Sequence[Any] | None, given: Sequence[Any]) -> Samples:
    arrays = tuple(_array(value) for value in given)
    outputs = run(layer, arrays)
    steady = _is_steady(layer, arrays, outputs)
    if spec is None:
        spec = _spec_of(arrays)
    small = sum(array.nbytes for array in arrays) <= MOST_SAMPLE_BYTES
    return Samples(
        spec=spec,
        inputs=(arrays,),
        outputs=(outputs,) if steady else (),
        described=tuple(_described(shape) for shape in _shapes(spec)),
        stored_inputs=tuple(stored(array) for array in arrays) if small else (),
        stored_outputs=tuple(stored(array) for array in outputs) if steady and small else (),
    )


def compared(
    staged: str,
    samples: Samples,
    tolerance: float,
    configs: Mapping[str, Any],
    load: Callable[[str], Any] | None = None,
) -> tuple[float | None, str]:
    """The largest relative difference of the saved model, and in words what is wrong, or ``""``.

    ``load`` is ``paddle.jit.load`` if not given. None: not compared, because the layer is not
    deterministic or has no saved ``forward``.
    """
    import paddle

    with own_loaders():  # also where install() put the safe ones in their place
        loaded = (load or paddle.jit.load)(staged)
    if not samples.outputs or configs.get("skip_forward"):
        return None, ""
    largest = 0.0
    for arrays, expected in zip(samples.inputs, samples.outputs):
        shapes = [list(array.shape) for array in arrays]
        try:
            found = run(loaded, arrays)
        except Exception as error:
            return None, f"the saved model fails on inputs of shapes {shapes}: {error}"
        if len(found) != len(expected):
            return None, f"the saved model has {len(found)} outputs, the layer {len(expected)}"
        for number, (one, other) in enumerate(zip(expected, found)):
            difference = relative_difference(one, other)
            if difference is None or difference > tolerance * _slack(one):
                told = "another shape or type" if difference is None else f"{difference:.3g}"
                return None, f"output {number} differs by {told} for inputs of shapes {shapes}"
            largest = max(largest, difference)
    return largest, ""


def _slack(array: Any) -> float:
    return _HALF if array.dtype.itemsize <= 2 else 1.0


def _is_steady(layer: Any, arrays: tuple[Any, ...], outputs: tuple[Any, ...]) -> bool:
    """Whether the layer gives the same numbers again: random ones cannot be compared."""
    again = run(layer, arrays)
    return all(
        (relative_difference(one, other) or 0.0) == 0.0 for one, other in zip(outputs, again)
    )


def _own_spec(layer: Any) -> Sequence[Any] | None:
    """The specification that a converted ``forward`` was given."""
    forward = getattr(layer, "forward", layer)
    function_spec = getattr(forward, "_function_spec", None)
    return getattr(function_spec, "input_spec", None)


def _shapes(spec: Sequence[Any] | None) -> list[InputShape]:
    import paddle

    shapes = []
    for entry in paddle.utils.flatten(list(spec or ())):
        if not hasattr(entry, "shape") or not hasattr(entry, "dtype"):
            raise UsageError(
                f"input_spec holds {entry!r}, which is no Tensor's specification.",
                action="Pass sample_inputs=[…], or give that argument a default instead.",
            )
        dtype = str(entry.dtype).rpartition(".")[2]
        sizes = tuple(-1 if size is None else int(size) for size in entry.shape)
        shapes.append(InputShape(getattr(entry, "name", None), dtype, sizes))
    return shapes


def _spec_of(arrays: Sequence[Any]) -> list[Any]:
    from paddle.static import InputSpec

    return [InputSpec(list(array.shape), str(array.dtype)) for array in arrays]


def _described(shape: InputShape) -> dict[str, object]:
    return {"name": shape.name, "dtype": shape.dtype, "shape": list(shape.shape)}


def _array(value: Any) -> Any:
    import numpy

    return value.numpy() if hasattr(value, "numpy") else numpy.asarray(value)
