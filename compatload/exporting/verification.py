"""Sample inputs, the layer's own outputs, and what the saved model makes of them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact, TensorSpec
from compatload.artifact.record import StoredArray, stored
from compatload.errors import ExportError
from compatload.exporting.arguments import (
    Arguments,
    arguments_of,
    eager,
    flat_arrays,
    further_arguments,
)
from compatload.exporting.layer_state import LayerState
from compatload.frozen import frozen
from compatload.loading.own_loaders import own_loaders
from compatload.trials.comparison import disagreement, relative_difference, slack
from compatload.trials.fork import can_fork, dies_of
from compatload.trials.layers import called, called_whole, run
from compatload.trials.sampling import EDGES, InputShape, candidates, sample

SEED = 0
# Time for unusual inputs, which a loop may never end on: so much, and so many usual rounds.
_LEAST_SECONDS, _MOST_TIMES = 2.0, 5.0
# What stands for rounding: far more than that of single precision, far less than what matters.
_NEAR = 1e-5
# Arrays, and numbers by their places among both.
Outputs = tuple[tuple[Any, ...], Mapping[int, float]]
Limited = Callable[[float], AbstractContextManager[None]]
# The time that a child has to show that it does not die.
_LONGEST_SECONDS = 60.0
_ONES = "in [0, 1), whole numbers 1"
_THREES = "in [0, 1), whole numbers by themselves 3"
# Sizes of free dimensions that are tried, where the layer takes so many.
MOST_SIZES = 4
# Inputs given by the caller are kept in the record up to this size; larger ones are only used.
MOST_SAMPLE_BYTES = 256 << 10
# What becomes of numbers in [0, 1): around zero, negative, large, nothing at all, and such that
# their mean is large, on which branches hang.
_KINDS: tuple[tuple[str, float, float], ...] = (
    ("around zero", 4.0, -2.0),
    ("negative", -1.0, 0.0),
    ("large", 200.0, -100.0),
    ("zeros", 0.0, 0.0),
    ("around 5", 2.0, 4.0),
    ("around -5", 2.0, -6.0),
)


@frozen
class Round:
    """One set of inputs, in the order of ``Arguments.inputs``, with the layer's outputs, and the
    numbers among them by their places among both; ``counted`` are those that are others in
    another round.

    ``hangs``: on rounding. The smallest change of the inputs gives other outputs, as of boxes that
    are sorted by nearly equal scores; no other release can be held against these.
    """

    kind: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    numbers: Mapping[int, float] = field(default_factory=dict)
    counted: frozenset[int] = frozenset()
    sizes: tuple[int, int] | None = None
    hangs: bool = False

    @property
    def shapes(self) -> list[list[int]]:
        return [list(array.shape) for array in self.inputs]

    @property
    def gives_something(self) -> bool:
        return bool(self.outputs or self.numbers)

    def expected(self, outputs: Sequence[TensorSpec]) -> tuple[Any, ...]:
        """What a program with such outputs gives: numbers are among them where they are counted
        from sizes that are free, and are left out where they are constant."""
        for among in (self.numbers.keys(), self.counted):
            if len(outputs) == len(self.outputs) + len(among):
                return tuple(self._with_numbers(among, outputs))
        return self.outputs

    def _with_numbers(self, among: Collection[int], outputs: Sequence[TensorSpec]) -> Iterator[Any]:
        import numpy

        tensors, specs = iter(self.outputs), iter(outputs)
        for place in range(len(self.outputs) + len(self.numbers)):
            if place not in self.numbers:
                next(specs)
                yield next(tensors)
            elif place in among:
                spec = next(specs)
                yield numpy.full([1] * len(spec.shape or ()), self.numbers[place], spec.dtype)

    def __str__(self) -> str:
        return f"{self.kind}, of shapes {self.shapes}"


@frozen
class Samples:
    """Rounds of one method. ``steady``: it gives the same numbers again from the same state, so
    they compare. ``stateful``: it gives others at its second call, or changes its buffers.
    ``edges``: of further sizes, which nobody may ever use."""

    arguments: Arguments
    rounds: tuple[Round, ...]
    steady: bool
    seed: int | None = None
    stateful: bool = False
    edges: tuple[Round, ...] = ()

    @property
    def sizes(self) -> tuple[int, int] | None:
        return self.rounds[0].sizes


@frozen
class Comparison:
    """The largest relative difference; None: not compared. ``differs`` says what is wrong, and
    ``at_edges`` what is for further sizes only."""

    difference: float | None
    differs: str = ""
    at_edges: str = ""


def first_outputs(layer: Any, samples: Sequence[Samples]) -> list[Any]:
    """What each method that is saved gives for its first inputs, anew."""
    found: list[Any] = []
    with eager():
        for one in samples:
            method = getattr(layer, one.arguments.method, layer)
            found += called(method, one.arguments.filled(one.rounds[0].inputs))
    return found


def prepared_samples(
    layer: Any,
    input_spec: Sequence[Any] | None,
    given: Sequence[Any] | Mapping[str, Any] | None,
    limited: Limited,
    state: LayerState,
    elsewhere: bool,
) -> tuple[Samples, ...]:
    """Samples from what the caller gave and from the specification: of ``forward`` first, then
    of the further methods that are saved.

    Args:
        limited: a scope in which the model's own code may take so many seconds.
        state: the layer's, from which each sample is run.
        elsewhere: other releases are to be held against ``forward``.

    Raises:
        UsageError: neither says what the inputs are.
        ExportError: the layer takes none of the inputs that were tried.
    """
    with eager():
        first = arguments_of(layer, input_spec, given)
        found = [_samples(layer, first, given, limited, state)]
        if elsewhere and found[0].steady:
            found = [_weighed(_from_here(layer, state), found[0])]
        for arguments in further_arguments(layer):
            method = getattr(layer, arguments.method)
            found.append(_samples(method, arguments, None, limited, state))
    return tuple(found)


def _from_here(function: Callable[..., Any], state: LayerState) -> Callable[..., Any]:
    """The layer or its method, which leaves the layer as it is."""

    def run_from_here(*arguments: Any) -> Any:
        with state.kept():
            return function(*arguments)

    return run_from_here


def _samples(
    plain: Callable[..., Any],
    arguments: Arguments,
    given: Sequence[Any] | Mapping[str, Any] | None,
    limited: Limited,
    state: LayerState,
) -> Samples:
    function = _from_here(plain, state)

    children = _Children()

    def unusual(arrays: Sequence[Any]) -> Outputs:
        filled = arguments.filled(arrays)
        children.require_alive(lambda: called(function, filled), arrays)
        return called_whole(function, filled)

    def outputs(arrays: Sequence[Any]) -> Outputs:
        if any(array.dtype.kind in "iu" for array in arrays):
            return unusual(arrays)
        return called_whole(function, arguments.filled(arrays))

    def twice(arrays: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Of one call behind the other."""
        with state.kept():
            return [called(plain, arguments.filled(arrays)) for _ in range(2)]

    if given is not None:
        rounds = [_given(flat_arrays(arguments, given), outputs)]
        others = {"your own turned round": tuple(map(_turned, rounds[0].inputs))}
    else:
        rounds = _by_sizes(arguments, outputs)
        others = {kind: _changed(rounds[0].inputs, kind) for kind, _, _ in _KINDS}
        if any(map(_is_count, rounds[0].inputs)):
            others[_THREES] = tuple(map(_three_for_counts, rounds[0].inputs))
    began = time.monotonic()
    again, behind = twice(rounds[0].inputs)
    most = _LEAST_SECONDS + _MOST_TIMES * (time.monotonic() - began) / 2
    steady = alike(rounds[0].outputs, again)
    for kind, arrays in others.items() if steady else ():
        try:
            with limited(most):
                made = Round(kind, arrays, *unusual(arrays))
            if made.gives_something:
                rounds.append(made)
        except Exception:  # noqa: S112 - nobody said that the layer takes these
            continue
    edges = _at_edges(arguments, outputs, limited, most) if steady and given is None else ()
    seed = None if given is not None or rounds[0].kind == _ONES else SEED
    stateful = bool(state.changed) or (steady and not alike(again, behind))
    counted = _counted([*rounds, *edges])
    told, edges = (tuple(replace(one, counted=counted) for one in some) for some in (rounds, edges))
    return Samples(arguments, told, steady, seed, stateful, edges)


def _counted(rounds: Sequence[Round]) -> frozenset[int]:
    """Places of the numbers that are not the same in all rounds."""
    first = rounds[0].numbers
    return frozenset(
        place
        for place, number in first.items()
        if any(one.numbers.get(place) != number for one in rounds)
    )


class _Children:
    """Kernels of Paddle die of some numbers: of whole ones that are lengths, of large ones
    that are corners of boxes. Such are tried in a fork first, unless one of these did not end."""

    def __init__(self) -> None:
        self._end = can_fork()

    def require_alive(self, act: Callable[[], object], arrays: Sequence[Any]) -> None:
        """Raises ExportError where it kills a fork of this process."""
        died = dies_of(act, _LONGEST_SECONDS) if self._end else None
        if died == signal.SIGALRM.name:
            self._end = False
        elif died:
            shapes = [list(array.shape) for array in arrays]
            raise ExportError(
                f"Paddle's own kernel ends the process ({died}) on inputs of shapes {shapes}",
                action="Pass sample_inputs=[…] that the layer takes.",
            )


def _weighed(layer: Callable[..., Any], samples: Samples) -> Samples:
    """With the rounds marked that hang on rounding."""

    def hangs(tried: Round) -> bool:
        near = [_nearly(array) for array in tried.inputs]
        try:
            found = called(layer, samples.arguments.filled(near))
        except Exception:  # a check of the layer's own, that numbers so near do not pass
            return True
        return disagreement(found, tried.outputs) is not None

    rounds = tuple(replace(tried, hangs=hangs(tried)) for tried in samples.rounds)
    return replace(samples, rounds=rounds)


def _nearly(array: Any) -> Any:
    import numpy

    if array.dtype.kind != "f":
        return array
    noise = numpy.random.default_rng(SEED + 1).uniform(-1, 1, array.shape)
    scale = max(float(numpy.abs(array).max(initial=0.0)), 1.0)
    return (array + _NEAR * scale * noise).astype(array.dtype)


def _given(arrays: tuple[Any, ...], outputs: Callable[[Sequence[Any]], Outputs]) -> Round:
    try:
        return Round("your own", arrays, *outputs(arrays))
    except Exception as error:
        raise ExportError(
            f"the layer itself fails on sample_inputs: {error}",
            action="Pass sample_inputs=[…] that it takes.",
        ) from error


def _by_sizes(arguments: Arguments, outputs: Callable[[Sequence[Any]], Outputs]) -> list[Round]:
    """Numbers in [0, 1) in the first sizes that the layer takes, and gives something for: another
    shape shows what was wrongly taken for constant."""
    rounds: list[Round] = []
    empty: list[Round] = []  # of a loop without a turn, say, whose result is None
    problem: Exception | None = None
    for kind, change in (("in [0, 1)", tuple), (_ONES, _ones)):
        for sizes in candidates(arguments.inputs):
            arrays = change(sample(arguments.inputs, sizes, SEED))
            try:
                made = Round(kind, arrays, *outputs(arrays), sizes=sizes)
                (rounds if made.gives_something else empty).append(made)
            except Exception as error:  # a size that this layer does not take
                problem = problem or error
            if len(rounds) == MOST_SIZES:
                break
        if rounds:
            break
    if not rounds and not empty:
        raise ExportError(
            f"the layer itself fails on inputs made from input_spec: {problem}",
            action="Pass sample_inputs=[…] that it takes.",
        ) from problem
    return rounds or empty


def _at_edges(
    arguments: Arguments,
    outputs: Callable[[Sequence[Any]], Outputs],
    limited: Limited,
    most: float,
) -> tuple[Round, ...]:
    """Rounds of further sizes, as many as take no longer than ``most`` seconds."""
    rounds: list[Round] = []
    tried: list[list[tuple[int, ...]]] = []
    if not any(shape.is_dynamic for shape in arguments.inputs):
        return ()
    end = time.monotonic() + most
    for sizes in EDGES:
        left = end - time.monotonic()
        shapes = [shape.resolved(*sizes) for shape in arguments.inputs]
        if left <= 0:
            break
        if shapes in tried:
            continue
        tried.append(shapes)
        arrays = tuple(sample(arguments.inputs, sizes, SEED))
        try:
            with limited(left):
                made = Round("in [0, 1)", arrays, *outputs(arrays))
            if made.gives_something:
                rounds.append(made)
        except Exception:  # noqa: S112 - a size that this layer does not take
            continue
    return tuple(rounds)


def _ones(arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Whole numbers as 1: lengths of 0 are refused by much, and so are places beyond the first."""
    return tuple(
        array * 0 + 1 if array.dtype.kind in "iu" and array.size else array for array in arrays
    )


def _changed(arrays: Sequence[Any], kind: str) -> tuple[Any, ...]:
    factor, term = next((f, t) for name, f, t in _KINDS if name == kind)
    return tuple(
        (array * factor + term).astype(array.dtype) if array.dtype.kind == "f"
        # Of integers 0 and 1 are known to be taken: they may be indices.
        else (array * 0 if kind == "zeros" else 1 - array if kind == "negative" else array).astype(
            array.dtype
        )
        for array in arrays
    )  # fmt: skip


def _is_count(array: Any) -> bool:
    """A whole number by itself may be of turns, which one turn alone does not show."""
    return bool(array.dtype.kind in "iu" and array.size == 1)


def _three_for_counts(array: Any) -> Any:
    return array * 0 + 3 if _is_count(array) else array


def _turned(array: Any) -> Any:
    """Of a caller's numbers: floats negative, others in reversed order, which are valid as well."""
    if array.dtype.kind in "fc":
        return -array
    return array.reshape(-1)[::-1].reshape(array.shape).copy()


def compared(
    staged: str,
    samples: Sequence[Samples],
    tolerance: float,
    configs: Mapping[str, Any],
    load: Callable[[str], Any] | None = None,
) -> Comparison:
    """The saved model beside the layer's outputs; ``load`` is ``paddle.jit.load`` if not given.
    Where the layer keeps a state, each sample is run from what the file holds."""
    import paddle

    artifact = inspect_whole(staged)
    parts = {"forward": artifact, **artifact.method_artifacts}
    try:
        with own_loaders():  # also where install() put the safe ones in their place
            loaded = (load or paddle.jit.load)(staged)
    except ValueError as error:  # of a program that has lost its parameters with what read them
        return Comparison(None, f"the saved model cannot be loaded: {error}")
    stateful = any(one.stateful for one in samples)
    state = LayerState(loaded, also_parameters=True) if stateful else None
    worst: float | None = None
    at_edges = ""
    for one in samples:
        method = one.arguments.method
        if not one.steady or method not in parts:
            continue
        if method == "forward" and configs.get("skip_forward"):
            continue
        part = parts[method]
        places = one.arguments.named([spec.name for spec in part.inputs])
        function = loaded if method == "forward" else getattr(loaded, method)
        function = _from_here(function, state) if state else function
        at = "" if method == "forward" else f"{method}: "
        for tried in one.rounds:
            found = _difference(function, places, part, tried, tolerance)
            if found.differs:
                return Comparison(None, at + found.differs)
            worst = max(worst or 0.0, found.difference or 0.0)
        found_there = (_difference(function, places, part, tried, tolerance) for tried in one.edges)
        at_edges = at_edges or next((at + f.differs for f in found_there if f.differs), "")
    return Comparison(worst, at_edges=at_edges)


def _difference(
    function: Callable[..., Any],
    places: Sequence[int],
    part: Artifact,
    tried: Round,
    tolerance: float,
) -> Comparison:
    try:
        found = run(function, [tried.inputs[place] for place in places])
    except Exception as error:
        return Comparison(None, f"the saved model fails on inputs {tried}: {error}")
    expected = tried.expected(part.outputs)
    if len(found) != len(expected):
        return Comparison(
            None, f"the saved model has {len(found)} outputs, the layer {len(expected)}"
        )
    largest = 0.0
    for number, (one, other) in enumerate(zip(expected, found)):
        difference = relative_difference(one, other)
        if difference is None or difference > tolerance * slack(one):
            told = f"is {_kind(other)} in the saved model and {_kind(one)} in the layer"
            if difference is not None:
                told = f"differs by {difference:.3g}"
            return Comparison(None, f"output {number} {told}, for inputs {tried}")
        largest = max(largest, difference)
    return Comparison(largest)


def _kind(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}"


def alike(outputs: Sequence[Any], again: Sequence[Any]) -> bool:
    """Whether the layer gives the same numbers again: random ones cannot be compared."""
    return len(outputs) == len(again) and all(
        (relative_difference(one, other) or 0.0) == 0.0 for one, other in zip(outputs, again)
    )


@frozen
class Kept:
    """What a record keeps of the samples of ``forward``."""

    inputs: tuple[Mapping[str, object], ...]
    seed: int | None = None
    sizes: tuple[int, int] | None = None
    sample_inputs: tuple[StoredArray, ...] = ()
    outputs: tuple[StoredArray, ...] = field(default=())


def kept(samples: Samples, artifact: Artifact) -> Kept:
    """Of the inputs that the saved program still has, by their names there."""
    places = samples.arguments.named([spec.name for spec in artifact.inputs])
    described = tuple(_described(samples.arguments.inputs[n]) for n in places)
    first = samples.rounds[0]
    arrays = [first.inputs[n] for n in places]
    # A seed gives the arrays of all inputs at once: where some are gone, they are kept themselves.
    seeded = samples.seed is not None and len(places) == len(first.inputs)
    small = sum(array.nbytes for array in arrays) <= MOST_SAMPLE_BYTES
    stored_inputs = () if seeded or not small else tuple(map(stored, arrays))
    known = samples.steady and (seeded or small)
    return Kept(
        described,
        samples.seed if seeded else None,
        first.sizes if seeded else None,
        stored_inputs,
        tuple(map(stored, first.expected(artifact.outputs))) if known else (),
    )


def _described(shape: InputShape) -> dict[str, object]:
    return {"name": shape.name, "dtype": shape.dtype, "shape": list(shape.shape)}
