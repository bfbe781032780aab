"""Whether an engine computes what Paddle does: tried in child processes, once a machine."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compatload._version import __version__
from compatload.artifact.files import read_file
from compatload.artifact.model import Artifact
from compatload.engines.engine import Engine, EngineProgram
from compatload.engines.known import ENGINES
from compatload.errors import CompatLoadError, DamagedArtifactError, IncompatibleError
from compatload.frozen import frozen
from compatload.loading.request import Request
from compatload.plan import Plan
from compatload.planning import describe
from compatload.runtime.model import Runtime
from compatload.serving.engine_child import FUNCTION, VERDICT
from compatload.serving.engine_verdict import MAXIMUM_BYTES, EngineVerdict, from_json, to_json
from compatload.serving.given import given_inputs
from compatload.serving.options import InferenceOptions
from compatload.serving.preflight_process import Ending, run_child
from compatload.store.cache import OFF, VARIABLE, made_once
from compatload.store.entry import code_stamp, content_key
from compatload.store.linking import identity

logger = logging.getLogger("compatload")


@frozen
class EngineTrial:
    """One artifact in one release of an engine, beside the Paddle that is installed, if one is.

    Args:
        plan: how Paddle would serve it; a refusal there leaves nothing to compare with.
        rivals: names of engines that were found right, to be timed beside it.
    """

    artifact: Artifact
    runtime: Runtime
    plan: Plan
    options: InferenceOptions
    request: Request
    program: EngineProgram
    engine: Engine
    release: str
    rivals: tuple[str, ...] = ()

    @property
    def timed(self) -> bool:
        return self.options.engine == "auto"

    def verdict(self) -> EngineVerdict:
        """What the child found, kept for all processes of this user on this machine.

        Raises:
            UsageError: the inputs given are not those of the model.
            IncompatibleError: the child took longer than ``preflight_timeout``; with ``"auto"``
                that is a verdict.
            DamagedArtifactError: a file of the model changed meanwhile.
        """
        self._samples()  # what is wrong with those is the caller's, not the cache's
        if os.environ.get(VARIABLE) == OFF:
            return self._find_out()
        return made_once(
            self._key,
            self._find_out,
            lambda directory, verdict: (directory / VERDICT).write_text(to_json(verdict)),
            lambda entry: from_json(read_file(str(entry / VERDICT))[0]),
            {"model": self.artifact.path, "for": f"trial of {self.engine.title} {self.release}"},
            "the trial is not kept",
        )

    def _key(self) -> str:
        """Everything that decides whether the engine is right, and which one is faster."""
        timing = [self.options.math_threads, self.options.pool_size] if self.timed else []
        samples = self._samples()
        record = self.artifact.files.record
        files = (*self.artifact.files.parameters, *([record] if record else []))
        parts: list[Any] = [
            self.engine.name,
            self.release,
            [(name, ENGINES[name].installed()) for name in self.rivals],
            describe(self.runtime),
            self.plan.to_dict(),
            self.runtime.cpu.describe(),
            sorted(self.runtime.cpu.features),
            [identity(Path(file)) for file in files],
            timing,
            sorted((name, str(v.dtype), v.shape) for name, v in samples.items()),
            sorted((self.options.shapes or {}).items()),
            code_stamp(),
        ]
        arrays = (samples[name].tobytes() for name in sorted(samples))
        told = json.dumps(parts, default=str, sort_keys=True)
        return content_key("engine", __version__, self.program.data, told, *arrays)

    def _samples(self) -> dict[str, Any]:
        return given_inputs(self.options, self.artifact.inputs)

    def _find_out(self) -> EngineVerdict:
        logger.info("%s: %s is tried in a child process", self.artifact.path, self.engine.title)
        with tempfile.TemporaryDirectory(prefix="compatload-") as name:
            return self._in_directory(Path(name))

    def _in_directory(self, directory: Path) -> EngineVerdict:
        samples = self._samples()
        if samples:
            import numpy

            numpy.savez(directory / "sample-0.npz", **samples)
        choice = 0
        while True:
            task = self._task(choice)
            ending = run_child(directory, task, self.options.preflight_timeout, FUNCTION)
            if ending.kind == "artifact":
                raise DamagedArtifactError(
                    f"{self.artifact.path} is not in the child what it is here: {ending.cause}",
                    action="Load it again once it is written; replace files by renaming.",
                    artifact=self.artifact.path,
                )
            if ending.phase != "reference" or samples:
                break
            choice = ending.choice + 1  # Paddle's plain executor died of these sizes
        return self._read(directory, ending)

    def _read(self, directory: Path, ending: Ending) -> EngineVerdict:
        """What the child wrote; where it died, or hung, that is what is wrong."""
        try:
            text, _ = read_file(str(directory / VERDICT), MAXIMUM_BYTES)
            return from_json(text)
        except (CompatLoadError, ValueError):
            if ending.kind == "hangs" and not self.timed:
                # Perhaps the machine is slow, or busy: that is nothing to keep.
                raise IncompatibleError(
                    f"{self.engine.title} {self.release} was to be tried on {self.artifact.path} "
                    f"in a child process: {ending.cause} ({ending.phase})",
                    action="Pass a longer preflight_timeout.",
                    artifact=self.artifact.path,
                ) from None
            how = ending.cause or ending.kind
            return EngineVerdict(problem=f"in a child process, {how} ({ending.phase})")

    def _task(self, choice: int) -> Mapping[str, Any]:
        request = self.request
        refusal = self.plan.refusal
        return {
            "path": os.path.abspath(os.fspath(request.path)),
            "file": os.path.abspath(self.artifact.files.program),
            "program": request.program,
            "params": request.params,
            "trusted": list(request.trusted),
            "trusted_operators": list(request.trusted_operators),
            "disabled_rules": list(request.disabled_rules),
            "engine": self.engine.name,
            "rivals": list(self.rivals),
            "refused": refusal.problem if refusal else "",
            "paddle": describe(self.runtime),
            "shapes": dict(self.options.shapes or {}),
            "samples_given": self.options.sample_inputs is not None,
            "first_choice": choice,
            "threads": self.options.math_threads,
            "timed": self.timed and (refusal is None or bool(self.rivals)),
        }
