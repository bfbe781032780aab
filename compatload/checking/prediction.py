"""Predict what Paddle's own loader does with an artifact on a target. Pure: no Paddle, no files."""

from __future__ import annotations

import enum
from functools import cache
from pkgutil import resolve_name

from compatload.artifact.model import Artifact, Format
from compatload.faults.artifacts import ARTIFACT_RULES
from compatload.faults.catalogue import load_rules
from compatload.faults.graph import Graph
from compatload.faults.matching import applies_to_place, found, measured_on, run_format
from compatload.faults.model import Alone, Condition, Sight
from compatload.faults.simplified import simplified
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.runtime.model import Runtime
from compatload.runtime.release import known_as


class Outcome(str, enum.Enum):
    """What loading and running through one of Paddle's loaders comes to."""

    OK = "ok"
    ERROR = "error"  # an exception
    CRASH = "crash"  # the process dies or hangs
    WRONG = "wrong"  # other numbers, without an error


@frozen
class Prediction:
    """``rule`` and ``places`` (operators with their positions) say why; both empty where all is
    well.

    ``by_larger_cpu``: so it is on a CPU that has more than the one that was asked about.
    ``by_data``: what happens with some inputs, where others are ok and no look at a file tells them
    apart.
    """

    api: Api
    outcome: Outcome
    rule: str | None = None
    places: tuple[str, ...] = ()
    by_larger_cpu: bool = False
    by_data: Outcome | None = None


@frozen
class NativeFault:
    """One way in which Paddle alone fails; without a sight the condition is enough."""

    order: int
    rule: str
    outcome: Outcome
    when: Condition
    sees: Sight | None
    by_data: bool


@cache
def native_faults() -> tuple[NativeFault, ...]:
    """Every one of them, in the order in which Paddle would meet them; last, what data decide."""
    told = (
        NativeFault(
            alone.order,
            rule.id,
            Outcome(alone.outcome or rule.without),
            when,
            _sight(alone, when),
            alone.by_data,
        )
        for rule in (*ARTIFACT_RULES, *load_rules())
        for alone in rule.alone
        for when in ((alone.when,) if alone.when else rule.when)
    )
    return tuple(sorted(told, key=lambda fault: (fault.by_data, fault.order)))


def _sight(alone: Alone, when: Condition) -> Sight | None:
    if isinstance(alone.sees, str):
        named: Sight = resolve_name(alone.sees)
        return named
    if alone.sees is None and when.operators:
        patterns = when.operators
        return lambda graph, release: found(patterns, graph)
    return alone.sees


def predict(
    artifact: Artifact,
    runtime: Runtime,
    api: Api,
    device: str = "cpu",
    larger: Runtime | None = None,
) -> Prediction:
    """What ``paddle.jit.load`` and the like do with the artifact, without compatload.

    ``larger`` is the same place with a CPU of more instruction sets, whose faults count too.
    """
    # The other loaders read nothing but forward.
    methods = artifact.method_artifacts.values() if api is Api.LAYER else ()
    told = (_predict(part, runtime, api, device, larger) for part in (artifact, *methods))
    found = [one for one in told if one.rule is not None]
    return min(found, key=lambda one: one.by_data is not None, default=Prediction(api, Outcome.OK))


def _predict(
    artifact: Artifact, runtime: Runtime, api: Api, device: str, larger: Runtime | None
) -> Prediction:
    release = known_as(runtime.paddle.version).version if runtime.paddle else ""
    is_simplified = api is Api.PREDICTOR and run_format(artifact, runtime) is Format.LEGACY
    graph = simplified(artifact) if is_simplified else Graph(artifact)
    seen_here = measured_on(runtime, device)
    for fault in native_faults():
        if seen_here.get(fault.rule) is False:
            continue
        there = applies_to_place(fault.when, artifact, runtime, api, device)
        needs_larger = not there and larger is not None and bool(fault.when.cpu_has)
        if not there and not (
            needs_larger and applies_to_place(fault.when, artifact, larger or runtime, api, device)
        ):
            continue
        seen = fault.sees(graph, release) if fault.sees else ()
        if seen or fault.sees is None:
            places = tuple(operator.position for operator in seen)
            outcome, by_data = (
                (Outcome.OK, fault.outcome) if fault.by_data else (fault.outcome, None)
            )
            return Prediction(api, outcome, fault.rule, places, needs_larger, by_data)
    return Prediction(api, Outcome.OK)
