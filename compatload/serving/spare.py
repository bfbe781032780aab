"""What computes where oneDNN refuses the sizes of a call: the same model without oneDNN.

A plan sees a program and not what a run finds: a batch of nothing, a mask that holds nowhere, a
slice that comes out empty. oneDNN has no memory without elements, so its operators raise
(``std::exception`` in PIR programs, "could not create …" in legacy ones; 3.0.0 to 3.3.1), where
Paddle's own kernels compute. Some kill the process instead, slices with SIGFPE: what has an input
without elements is not given to them, and masks are for rules (CL224, CL225).
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from compatload.artifact.model import Artifact
from compatload.errors import IncompatibleError
from compatload.loading.pipeline import Judged, Make, load
from compatload.loading.request import Request
from compatload.plan import Plan, Strategy
from compatload.runtime.model import Runtime
from compatload.serving.file_state import model_state
from compatload.serving.runners import Runner, has_no_elements, is_of_sizes

logger = logging.getLogger("compatload")


class SpareRunner:
    """One runner for all those of a pool, made in the first call that needs it.

    Args:
        request: a load of predictors, as it was asked for.
        make: makes a predictor of what a step prepared.
        runner: what runs a predictor.
        dies: whether Paddle's own kernels do not survive inputs without elements either.
        multiplies: whether they do not survive what a run finds nothing of, either.
    """

    def __init__(
        self,
        request: Request,
        make: Make[Any],
        runner: Callable[[Any], Runner],
        *,
        dies: bool,
        multiplies: bool,
    ) -> None:
        self._dies = dies
        self._multiplies = multiplies
        self._path = os.path.abspath(os.fsdecode(request.path))
        self._request = replace(request, path=self._path, anew=True, verify=False)
        self._make = make
        self._new = runner
        self._state = self._found()
        # Without oneDNN any thread may run it, one at a time.
        self._turn = threading.Lock()
        self._runner: Runner | None = None
        self._problem: Exception | None = None

    def run(self, inputs: Mapping[str, Any], refusal: Exception) -> list[Any]:
        """The outputs. Raises ``refusal`` where there can be no such runner, and what Paddle raises
        where its own kernels refuse as well."""
        nothing = any(has_no_elements(value) for value in inputs.values())
        if nothing and (self._dies or self._multiplies):
            raise refusal
        if self._multiplies and is_of_sizes(refusal):
            raise refusal
        with self._turn:
            if self._runner is None and self._problem is None:
                try:
                    self._runner = self._made(refusal)
                except Exception as error:  # whatever it is, the caller's error is the other one
                    self._problem = error
            if self._runner is None:
                raise refusal from self._problem
            return self._runner.run(inputs)

    def _made(self, refusal: Exception) -> Runner:
        logger.warning(
            "%s: oneDNN cannot compute a call (%s). That call, and others like it, are computed "
            "without oneDNN",
            self._path,
            refusal,
        )
        if self._found() != self._state:
            raise IncompatibleError(
                f"{self._path} is no longer the model that was loaded",
                action="Load it again.",
            )
        predictor = load(self._request, self._make, time.perf_counter(), judge=_without_onednn)
        return self._new(predictor)

    def _found(self) -> tuple[object, ...]:
        """The state of the model's files; its directory may change."""
        wanted = self._request
        state = model_state(self._path, program=wanted.program, params=wanted.params)
        return state.files[1:]


def _without_onednn(artifact: Artifact, plan: Plan, runtime: Runtime) -> Judged:
    """The plan's plainer ways."""
    # Loads do not need it, and it takes a while to import.
    from compatload.serving.steps import with_further_steps

    steps = with_further_steps(plan).steps
    plain = (one for one in steps if one.strategy is not Strategy.LAYER and not one.options.onednn)
    return Judged(replace(plan, steps=tuple(plain)))
