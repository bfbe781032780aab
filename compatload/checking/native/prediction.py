"""Predict what Paddle's own loader does with an artifact on a target. Pure: no Paddle, no files."""

from __future__ import annotations

import enum

from compatload.artifact.model import Artifact
from compatload.checking.native.faults import NATIVE_FAULTS
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.rules.matching import applies_to_place
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
    """``rule`` and ``places`` (operators with their positions) say why; both empty where ok."""

    api: Api
    outcome: Outcome
    rule: str | None = None
    places: tuple[str, ...] = ()


def predict(artifact: Artifact, runtime: Runtime, api: Api, device: str = "cpu") -> Prediction:
    """What ``paddle.jit.load`` and the like do with the artifact, without compatload."""
    # The other loaders read nothing but forward.
    methods = artifact.method_artifacts.values() if api is Api.LAYER else ()
    told = (_predict(part, runtime, api, device) for part in (artifact, *methods))
    return next((one for one in told if one.outcome is not Outcome.OK), Prediction(api, Outcome.OK))


def _predict(artifact: Artifact, runtime: Runtime, api: Api, device: str) -> Prediction:
    release = known_as(runtime.paddle.version).version if runtime.paddle else ""
    for fault in NATIVE_FAULTS:
        if not applies_to_place(fault.when, artifact, runtime, api, device):
            continue
        if fault.sees is None:
            return Prediction(api, Outcome(fault.outcome), fault.rule)
        found = fault.sees(artifact, release)
        if found:
            places = tuple(operator.position for operator in found)
            return Prediction(api, Outcome(fault.outcome), fault.rule, places)
    return Prediction(api, Outcome.OK)
