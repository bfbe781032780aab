"""Which step of a plan computes what it should: tried in child processes, once a machine."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from compatload._version import __version__
from compatload.artifact.files import read_file
from compatload.artifact.model import Artifact
from compatload.errors import DamagedArtifactError, LoadError
from compatload.faults.catalogue import load_rules
from compatload.faults.matching import matching_rules
from compatload.frozen import frozen
from compatload.loading.pipeline import Judged
from compatload.loading.request import Request
from compatload.loading.scratch import scratch_directory
from compatload.plan import Api, Plan
from compatload.planning import describe
from compatload.runtime.model import Runtime
from compatload.serving.given import given_inputs
from compatload.serving.options import InferenceOptions
from compatload.serving.preflight_process import Ending, run_child
from compatload.serving.verdict import (
    MAXIMUM_BYTES,
    Verdict,
    from_json,
    to_json,
)
from compatload.store.cache import OFF, VARIABLE, made_once
from compatload.store.entry import content_key
from compatload.store.linking import identity

logger = logging.getLogger("compatload")

_VERDICT = "verdict.json"
# Settings of the environment that change how a predictor computes. OMP_NUM_THREADS is none: Paddle
# sets it itself when it is imported, and a predictor is told its number of threads.
_DECIDING = ("FLAGS_", "ONEDNN_", "DNNL_", "MKL_")
_GIVE_TIME = "Pass preflight_timeout= with more seconds."
_GIVE_SAMPLES = "Pass sample_inputs= with arrays that the model takes."


@frozen
class Preflight:
    """One artifact in one runtime, to be tried by a plan's steps, as ``request`` asks for it."""

    artifact: Artifact
    runtime: Runtime
    plan: Plan
    options: InferenceOptions
    request: Request

    def judged(self) -> Judged:
        """The plan from the step on that was found good.

        Where nobody asked for it, a model that it cannot be tried with goes on as planned.

        Raises what ``verdict`` raises, and LoadError where no step computes what it should.
        """
        try:
            verdict = self.verdict()
        except LoadError as error:  # there is nothing to compare a step with
            if self.options.preflight:
                raise
            return Judged(self.plan, notes=(f"not tried in a child process: {error.problem}",))
        for title, cause in verdict.rejected:
            logger.warning(
                "%s: %s is not used, in a child process: %s", self.plan.artifact, title, cause
            )
        if verdict.step is None:
            raise LoadError(
                f"{self.plan.artifact} crashes, hangs or errs in {self.plan.runtime} in every way:",
                attempts=verdict.rejected,
                action="Run `compatload plan` on it and report the output with this message.",
                artifact=self.plan.artifact,
                runtime=self.plan.runtime,
            )
        plan = replace(self.plan, steps=self.plan.steps[verdict.step :])
        return Judged(plan, verdict.rejected, verdict.notes)

    def verdict(self) -> Verdict:
        """What the children found, kept for all processes of this user on this machine.

        Raises:
            UsageError: the inputs given are not those of the model.
            LoadError: there are no inputs to try it with.
            DamagedArtifactError: a file of the model changed meanwhile.
        """
        self._samples()  # what is wrong with those is the caller's, not the cache's
        if os.environ.get(VARIABLE) == OFF:
            return self._find_out()
        return made_once(
            self._key,
            self._find_out,
            lambda directory, verdict: (directory / _VERDICT).write_text(to_json(verdict)),
            self._read,
            {"model": self.artifact.path, "for": f"preflight in {self.plan.runtime}"},
            "the preflight is not kept",
        )

    def _read(self, entry: Path) -> Verdict:
        text, _ = read_file(str(entry / _VERDICT), MAXIMUM_BYTES)
        return from_json(text, len(self.plan.steps))

    def _key(self) -> str:
        """Everything that decides whether a step computes what it should."""
        files = self.artifact.files.parameters
        samples = self._samples()
        flags = sorted(item for item in os.environ.items() if item[0].startswith(_DECIDING))
        options = asdict(self.options)
        asked = [options[name] for name in ("tensorrt", "gpu_memory_mb")]
        parts: list[Any] = [
            [asdict(step) for step in self.plan.steps],
            self.plan.device,
            describe(self.runtime),
            self.runtime.ir_mode.pir,
            self.runtime.cpu.describe(),
            sorted(self.runtime.cpu.features),
            self.runtime.numpy,
            asdict(self.runtime.paddle) if self.runtime.paddle else None,
            [identity(Path(file)) for file in files],
            [*asked, self.options.math_threads, flags, sorted(self.request.disabled_rules)],
            sorted((name, str(v.dtype), v.shape) for name, v in samples.items()),
            sorted((self.options.shapes or {}).items()),
        ]
        arrays = (samples[name].tobytes() for name in sorted(samples))
        told = json.dumps(parts, default=str, sort_keys=True)
        return content_key("preflight", __version__, self.artifact.program_bytes, told, *arrays)

    def _samples(self) -> dict[str, Any]:
        return given_inputs(self.options, self.artifact.inputs)

    def _find_out(self) -> Verdict:
        logger.info("%s: first run in a child process", self.artifact.path)
        with scratch_directory(tempfile.gettempdir(), "compatload-first-run-") as name:
            return self._in_directory(Path(name))

    def _in_directory(self, directory: Path) -> Verdict:
        samples = self._samples()
        if samples:
            import numpy

            numpy.savez(directory / "sample-0.npz", **samples)
        rejected: list[tuple[str, str]] = []
        for number, step in enumerate(self.plan.steps):
            ending = self._try(directory, number)
            if ending.kind == "agrees":
                return Verdict(number, tuple(rejected), (_NOTE,))
            rejected.append((step.title, _cause(ending)))
        return Verdict(None, tuple(rejected), (_NOTE,))

    def _try(self, directory: Path, number: int) -> Ending:
        """How a child with this step ended, once there is something to compare with."""
        choice = 0
        while True:
            task = self._task(number, choice)
            ending = run_child(directory, task, self.options.preflight_timeout)
            if ending.kind == "artifact":
                raise DamagedArtifactError(
                    f"{self.artifact.path} is not in the child what it is here: {ending.cause}",
                    action="Load it again once it is written; replace files by renaming.",
                    artifact=self.artifact.path,
                )
            if ending.kind == "no reference" or ending.phase == "start":
                raise self._without_reference(ending)
            if ending.phase != "reference":
                return ending
            if ending.kind == "hangs" or self.options.sample_inputs is not None:
                raise self._without_reference(ending)
            choice = ending.choice + 1  # sizes that kill even the plain executor suit nobody

    def _task(self, number: int, choice: int) -> Mapping[str, Any]:
        options, request = self.options, self.request
        return {
            "path": os.path.abspath(os.fspath(request.path)),
            "file": os.path.abspath(self.artifact.files.program),
            "program": request.program,
            "params": request.params,
            "device": self.plan.device,
            "trusted": list(request.trusted),
            "trusted_operators": list(request.trusted_operators),
            "disabled_rules": sorted(request.disabled_rules),
            "threads": options.math_threads,
            "tensorrt": options.tensorrt,
            "gpu_memory_mb": options.gpu_memory_mb,
            "plan": replace(self.plan, steps=(self.plan.steps[number],)).to_dict(),
            "shapes": dict(options.shapes or {}),
            "samples_given": options.sample_inputs is not None,
            "first_choice": choice,
        }

    def _without_reference(self, ending: Ending) -> LoadError:
        return LoadError(
            f"{self.artifact.path} could not be tried before it serves: Paddle's plain executor "
            f"does not run it with {'the given' if self.options.sample_inputs else 'made-up'} "
            f"inputs ({_cause(ending)})",
            action=_GIVE_TIME if ending.kind == "hangs" else _GIVE_SAMPLES,
            artifact=self.artifact.path,
            runtime=self.plan.runtime,
        )


_NOTE = "first run in a child process, compared with the plain executor"


def is_dangerous(
    artifact: Artifact,
    runtime: Runtime,
    device: str,
    disabled_rules: Sequence[str] | frozenset[str],
) -> bool:
    """Whether a rule that is not followed says that a predictor of this model crashes or errs."""
    rules = [
        rule
        for rule in load_rules()
        if rule.id in disabled_rules and rule.without in ("crash", "wrong")
    ]
    return bool(matching_rules(rules, artifact, runtime, Api.PREDICTOR, device))


def _cause(ending: Ending) -> str:
    return ending.cause or ending.kind
