"""One road for every load: recalled, or inspected, planned, prepared and made anew.

The three drop-ins and the pool of ``inference_only`` say what is asked for (``Request``) and have
one function each that makes what they return of prepared programs; everything else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from compatload.artifact.model import Artifact, Format
from compatload.collection import collection_paused
from compatload.frozen import frozen
from compatload.loading.execution import carry_out, import_paddle
from compatload.loading.prepared import PreparedPrograms
from compatload.loading.primitives import PRIMITIVES
from compatload.loading.recall import Memory, Recollection
from compatload.loading.request import Request
from compatload.plan import Plan, Step, Strategy
from compatload.runtime.model import Runtime
from compatload.store.measured import runtime_here

if TYPE_CHECKING:
    from compatload.artifact.record import Record

Loaded = TypeVar("Loaded")
# Operators with blocks, as they stand in a legacy program.
_WITH_BLOCKS = (b"while", b"conditional_block")


@frozen
class Material:
    """What a step makes a model of.

    ``prepared`` has no programs where Paddle's own layer is to be made instead of a predictor;
    ``more`` was kept with a load that is recalled.
    """

    artifact: Artifact
    plan: Plan
    prepared: PreparedPrograms
    runtime: Runtime
    more: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Judged:
    """A plan that somebody had the last word on: steps that were rejected, and notes on it."""

    plan: Plan
    rejected: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


# Makes a model of what a step prepared; also tells the rules by which operators were rewritten.
Make = Callable[[Material, Step], "tuple[Loaded, tuple[str, ...]]"]


@collection_paused()
def load(
    request: Request,
    make: Make[Loaded],
    started: float,
    *,
    found: Artifact | None = None,
    judge: Callable[[Artifact, Plan, Runtime], Judged] | None = None,
    more: Callable[[Artifact], Mapping[str, object]] | None = None,
) -> Loaded:
    """What ``make`` makes of the first step that works, with a LoadReport attached.

    Args:
        started: ``time.perf_counter()`` when the caller was called.
        found: the artifact, where it is inspected already: neither recalled nor kept.
        judge: has the last word on the plan before it is carried out.
        more: what is kept with the load, as ``Material.more`` of those that recall it.

    Raises what ``safe_load`` raises.
    """
    runtime = runtime_here()
    memory = Memory(request, runtime) if found is None else None
    loaded: Loaded | None = None
    try:
        if memory is not None:
            request = memory.request
            loaded = memory.replay(_again(make, runtime), started)
            if loaded is not None:
                return loaded
        artifact = found or request.inspect(runtime)
        record = recorded(artifact, request)
        plan = request.plan(artifact, runtime)
        judged = judge(artifact, plan, runtime) if judge else Judged(plan)
        prepared: PreparedPrograms | None = None

        def attempt(step: Step) -> tuple[Loaded, tuple[str, ...]]:
            nonlocal prepared
            prepared = prepare(request, artifact, step)
            _note_loops(prepared)
            return make(Material(artifact, judged.plan, prepared, runtime), step)

        loaded = carry_out(
            judged.plan, artifact, attempt, started, rejected=judged.rejected, notes=judged.notes
        )
        if record is not None and request.verify:
            from compatload.loading.recorded import require_recorded_outputs

            require_recorded_outputs(loaded, record, artifact.path)
        if memory is not None:
            kept = more(artifact) if more else {}
            memory.keep(loaded, artifact, judged.plan, prepared, **kept)
        return loaded
    finally:
        if memory is not None:
            memory.close(loaded)


def prepare(request: Request, artifact: Artifact, step: Step) -> PreparedPrograms:
    """What ``step`` hands to Paddle; nothing where it makes a layer in place of a predictor."""
    if step.strategy is Strategy.LAYER:
        return PreparedPrograms({}, artifact.format)
    # A load that is known does not need it, and it takes a while to import.
    from compatload.loading.cached import prepare_cached

    return prepare_cached(artifact, step, import_paddle(), request.api)


def _note_loops(prepared: PreparedPrograms) -> None:
    if prepared.format is Format.LEGACY and any(
        name in program for program in prepared.programs.values() for name in _WITH_BLOCKS
    ):
        PRIMITIVES.held_off()


def _again(
    make: Make[Loaded], runtime: Runtime
) -> Callable[[Recollection, Step], tuple[Loaded, tuple[str, ...]]]:
    def again(known: Recollection, step: Step) -> tuple[Loaded, tuple[str, ...]]:
        prepared = known.prepared
        _note_loops(prepared)
        return make(Material(known.artifact, known.plan, prepared, runtime, known.more), step)

    return again


def recorded(artifact: Artifact, request: Request) -> Record | None:
    """What safe_save recorded beside the model, once its files are known to be those it wrote."""
    if artifact.files.record is None or request.verify is False:
        return None
    from compatload.loading.recorded import require_recorded_files

    return require_recorded_files(artifact, whole=bool(request.verify))
