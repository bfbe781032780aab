"""OpenVINO: programs of Paddle 2.6 compiled for this machine's processor.

Nothing that was not admitted (``operators.admission``) may be handed to it: it is native code, and
checks as little as Paddle does.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from compatload.engines.engine import (
    EXACT_IN_FLOAT32,
    INSTEAD,
    Engine,
    EngineProgram,
    LaidOut,
    imported,
)
from compatload.engines.extensions import extensions
from compatload.engines.facts import objections
from compatload.errors import EngineNotFoundError, IncompatibleError
from compatload.runtime.distributions import find_distribution

_NAME, _TITLE = "openvino", "OpenVINO"
_LONGEST = 300
# What stands around the message proper.
_NOISE = ("Exception from ", "Caught exception: ", "Check '", "FrontEnd API failed")


def installed() -> str | None:
    """The release that is installed, found without importing it."""
    found = find_distribution(sys.path, _NAME)
    return found.version if found else None


def require_installed() -> str:
    """The release that is installed. Raises EngineNotFoundError where none is."""
    release = installed()
    if release is None:
        raise EngineNotFoundError(
            "engine='openvino' was asked for, and OpenVINO is not installed here",
            action='Run `pip install "compatload[openvino]"`.',
        )
    return release


def said(error: BaseException) -> str:
    """What an exception of OpenVINO says, without the places in its source, on one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = " ".join(line for line in lines if line and not line.startswith(_NOISE))
    return (told or type(error).__name__)[:_LONGEST]


class _Compiled:
    """A compiled program, made anew once a call has failed: OpenVINO (2026.4) keeps the failure in
    the program, and later calls of suitable inputs fail by it as well, in every request."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self.program = make()
        self.failures = 0
        self.may_fail = any(port.partial_shape.is_dynamic for port in self.program.inputs)

    def renewed(self, failures: int) -> bool:
        """Whether another call has failed after so many; else it is this one's, and the program is
        made anew. Raises what ``make`` raises."""
        if not self.may_fail:  # sizes are looked at before anything runs
            return False
        with self._lock:
            if failures != self.failures:
                return True
            self.program = self._make()
            self.failures += 1
            return False


class InferRequest:
    """One program for one thread at a time: arrays in by name, arrays out in the model's order."""

    def __init__(
        self,
        compiled: _Compiled,
        fed: Mapping[str, int],
        kept: Sequence[int],
        names: tuple[str, ...],
        alone: bool,
    ) -> None:
        self.input_names = names
        self._compiled = compiled
        self._failures = compiled.failures
        self._request = compiled.program.create_infer_request()
        self._fed = fed
        self._kept = kept
        self._alone = alone

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs, copied once: the next run writes into the same memory. Python's lock is free
        meanwhile. Raises RuntimeError."""
        feeds = {place: inputs[name] for name, place in self._fed.items()}
        while True:
            if self._failures != self._compiled.failures:
                self._failures = self._compiled.failures
                self._request = self._compiled.program.create_infer_request()
            try:
                return self._inferred(feeds)
            except RuntimeError as error:
                if self._compiled.renewed(self._failures):
                    continue  # another thread's call has failed, perhaps this one by it
                shapes = ", ".join(f"{name} {[*inputs[name].shape]}" for name in self._fed)
                raise RuntimeError(f"OpenVINO, of inputs {shapes}: {said(error)}") from error

    def _inferred(self, feeds: Mapping[int, Any]) -> list[Any]:
        if not self._alone:
            found = self._request.infer(feeds, share_inputs=True, share_outputs=True)
            return [found[place].copy() for place in self._kept]
        # By a single thread `infer` loses what is wrong with sizes, and gives the outputs of the
        # call before (2026.4). It costs 5 to 10 microseconds.
        self._request.start_async(feeds, share_inputs=True)
        self._request.wait()
        return [self._request.get_output_tensor(place).data.copy() for place in self._kept]


def requests(
    laid_out: LaidOut,
    program: EngineProgram,
    *,
    threads: int,
    count: int,
    shapes: Mapping[str, Sequence[int]],
) -> list[InferRequest]:
    """``count`` requests of one compiled program, which share its weights: an ``Engine``'s.

    Raises EngineNotFoundError, and IncompatibleError: OpenVINO does not take it, and says why.
    """
    inputs, outputs = program.inputs, program.outputs
    core, openvino = _core(), _import()

    def make() -> Any:
        with laid_out() as file:
            model = core.read_model(file)
            places = _places(model.inputs, inputs)
            fixed = {places[name]: list(shape) for name, shape in shapes.items() if name in places}
            if fixed:
                model.reshape(fixed)
            return core.compile_model(model, "CPU", _options(openvino, threads, count))

    try:
        compiled = _Compiled(make)
    except RuntimeError as error:
        raise IncompatibleError(
            f"OpenVINO {openvino.__version__.partition('-')[0]} does not take the program: "
            f"{said(error)}",
            action=INSTEAD,
        ) from error
    fed = _places(compiled.program.inputs, inputs)
    found = _places(compiled.program.outputs, outputs)
    if missing := [name for name in outputs if name not in found]:
        raise IncompatibleError(
            f"OpenVINO lost outputs of the program: {', '.join(missing)}", action=INSTEAD
        )
    kept = [found[name] for name in outputs]
    alone = threads * count == 1 or _is_of_one_thread()
    return [InferRequest(compiled, fed, kept, inputs, alone) for _ in range(count)]


def _is_of_one_thread() -> bool:
    """Whether OpenVINO has one, whatever it is told."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return usable == 1 or os.environ.get("OMP_NUM_THREADS") == "1"


def _options(openvino: ModuleType, threads: int, count: int) -> dict[str, Any]:
    return {
        # Else it computes in bfloat16 where the processor can.
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": threads * count,
        "NUM_STREAMS": count,
        # Every process of a service would take the same processors.
        "ENABLE_CPU_PINNING": False,
    }


def _places(ports: Sequence[Any], names: Sequence[str]) -> dict[str, int]:
    """Where each name stands; what the program does not read, or write, is left out."""
    known = {name: place for place, port in enumerate(ports) for name in port.get_names()}
    return {name: known[name] for name in names if name in known}


@cache
def _core() -> Any:
    core = _import().Core()
    # A file that is written to while it is mapped ends the process.
    core.set_property({"ENABLE_MMAP": False})
    for extension in extensions():
        core.add_extension(extension)
    return core


def _import() -> ModuleType:
    """OpenVINO itself, as quiet as it can be."""
    os.environ.setdefault("OPENVINO_LOG_LEVEL", "0")
    return imported(_NAME, _TITLE)


ENGINE = Engine(
    name=_NAME,
    title=_TITLE,
    installed=installed,
    require_installed=require_installed,
    objections=objections,
    requests=requests,
    said=said,
    own=frozenset({"scale"}),  # which paddle2onnx writes otherwise
    whole=EXACT_IN_FLOAT32,
)
