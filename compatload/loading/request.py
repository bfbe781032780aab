"""What a caller asked of a drop-in, apart from what it hands through to Paddle."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from compatload.artifact.model import Artifact
from compatload.errors import UsageError
from compatload.frozen import frozen
from compatload.loading.configs import file_names, native_format
from compatload.loading.report import logger
from compatload.plan import Api, Plan, Step
from compatload.runtime.model import Runtime
from compatload.runtime.predictor_config import PredictorConfig

# What only those meet who read outputs by handles: a pool takes tensors.
_OF_HANDLES = ("CL640",)
# A note on a model that is loaded in its folded form (``loading.folded``).
FOLDED = "its batch normalisations were folded into its convolutions beforehand"


@frozen
class Request:
    """A load that was asked for.

    ``trusted`` are names of globals of the model's pickle, ``trusted_operators`` of operators;
    ``verify`` says how what safe_save recorded is held against the model (see ``safe_load``).
    ``pooled``: predictors are to stand in for a layer. ``anew``: it is not to be recalled.
    ``config`` is what a predictor is asked for; None: what Paddle does by itself.
    ``named``: the model that was asked for, where ``path`` is its folded form.
    ``delete_passes``: what a predictor leaves out in any case, as that of the other form does.
    """

    path: str | os.PathLike[str]
    api: Api
    device: str | None = None
    program: Any = None
    params: Any = None
    trusted: Collection[str] = ()
    disabled_rules: tuple[str, ...] = ()
    trusted_operators: Collection[str] = ()
    verify: bool | None = None
    pooled: bool = False
    anew: bool = False
    config: PredictorConfig | None = None
    named: str = ""
    delete_passes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("trusted", "trusted_operators"):
            _require_several(name, getattr(self, name))

    def inspect(self, runtime: Runtime) -> Artifact:
        """The whole artifact; of two formats side by side, the one that ``runtime`` reads."""
        # A load that is known needs no inspection, which takes a while to import.
        from compatload.artifact.inspection import inspect_whole

        artifact = inspect_whole(
            self.path,
            prefer=native_format(runtime),
            program=self.program,
            params=self.params,
            trusted=self.trusted,
        )
        if not self.named:
            return artifact
        return replace(artifact, path=self.named, notes=(*artifact.notes, FOLDED))

    def outline(self, runtime: Runtime) -> Artifact:
        """The artifact for whoever does not look at its operators."""
        from compatload.artifact.inspection import inspect_artifact

        prefer = native_format(runtime)
        names = {"model_filename": self.program, "params_filename": self.params}
        return inspect_artifact(self.path, prefer=prefer, **names)

    def plan(self, artifact: Artifact, runtime: Runtime) -> Plan:
        """How ``artifact`` is loaded."""
        # Neither does it need a plan, which takes a tenth of a second to import.
        from compatload.planning import choose_device, plan_load

        device = self.device
        if self.pooled and device is None:  # where the layer would go
            device, _ = choose_device(runtime, None, Api.LAYER)
        plan = plan_load(
            artifact,
            runtime,
            self.api,
            device=device,
            disabled_rules=(*self.disabled_rules, *(_OF_HANDLES if self.pooled else ())),
            trusted_operators=self.trusted_operators,
            config=self.config,
        )
        if not self.delete_passes:
            return plan
        return replace(plan, steps=tuple(map(self._without_passes, plan.steps)))

    def _without_passes(self, step: Step) -> Step:
        more = (one for one in step.options.delete_passes if one not in self.delete_passes)
        return replace(
            step, options=replace(step.options, delete_passes=(*self.delete_passes, *more))
        )


def layer_request(
    path: str | os.PathLike[str],
    *,
    device: str | None = None,
    trusted: Collection[str] = (),
    trusted_operators: Collection[str] = (),
    disabled_rules: Iterable[str] = (),
    verify: bool | None = None,
    **configs: Any,
) -> Request:
    """What ``safe_load`` is asked for with these arguments; UsageError for one it does not know."""
    program, params = file_names("safe_load", configs)
    return Request(
        *(path, Api.LAYER, device, program, params),
        *(trusted, rule_ids(disabled_rules), trusted_operators, verify),
    )


def rule_ids(disabled_rules: Iterable[str]) -> tuple[str, ...]:
    """Raises UsageError for a text, which is a list of letters. Logs what is no rule: of another
    release of compatload, or misspelt."""
    _require_several("disabled_rules", disabled_rules)
    wanted = tuple(disabled_rules)
    if wanted:
        from compatload.faults.texts import rule_texts  # all of them, which takes a while

        for rule in sorted({*wanted} - rule_texts().keys()):
            logger.warning("disabled_rules names %s, and there is no such rule", rule)
    return wanted


def _require_several(name: str, given: object) -> None:
    if isinstance(given, (str, bytes)):
        raise UsageError(
            f"{name} is the text {given!r}, not several.", action=f"Pass {name}=[{given!r}]."
        )
