"""onnxruntime: programs of Paddle 2.6 that paddle2onnx has written as ONNX.

Both are native code: nothing that was not admitted (``operators.admission``) may be handed to them.
paddle2onnx ends its process where it cannot go on, and so works in a child.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from packaging.version import Version

from compatload.engines.engine import INSTEAD, Engine, EngineProgram, LaidOut, imported
from compatload.engines.flaws import OF_ONNXRUNTIME, flaws
from compatload.errors import (
    CompatLoadError,
    EngineNotFoundError,
    IncompatibleError,
    UnsupportedOperatorError,
)
from compatload.runtime.distributions import find_distribution
from compatload.trials import children

_NAME = "onnxruntime"
_BUILDS = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-openvino")
_CONVERTER = "paddle2onnx"
# From 2.0 on it reads programs by the libraries of one release of Paddle.
_TOO_NEW = Version("2")
_INSTALL = 'Run `pip install "compatload[onnxruntime]"`.'
_LONGEST = 300
# A model of 400 MB takes 20 seconds, and some take for ever (LeViT as 3.3.1 saves it).
_CONVERSION_SECONDS = 100.0
_UNSUPPORTED = re.compile(r"not supported yet, including ([\w,]+)")
_ERROR = re.compile(r"\[(?:ERROR|Paddle2ONNX)\]\s*(.+)")
# "[ONNXRuntimeError] : 10 : INVALID_GRAPH : Load model from … failed:"
_CODE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : (Load model from \S+ failed:\s*)?")
_FATAL = 4


def installed() -> str | None:
    """The releases that are installed, found without importing them."""
    runtime = find_distribution(sys.path, *_BUILDS)
    converter = find_distribution(sys.path, _CONVERTER)
    if runtime is None or converter is None or Version(converter.version) >= _TOO_NEW:
        return None
    return f"{runtime.version}, {_CONVERTER} {converter.version}"


def require_installed() -> str:
    """The releases that are installed. Raises EngineNotFoundError where one is missing."""
    release = installed()
    if release is not None:
        return release
    converter = find_distribution(sys.path, _CONVERTER)
    missing = [] if find_distribution(sys.path, *_BUILDS) else ["onnxruntime is not installed here"]
    if converter is None:
        missing.append(f"{_CONVERTER} is not installed here")
    elif Version(converter.version) >= _TOO_NEW:
        missing.append(f"{_CONVERTER} {converter.version} is, of which releases before 2 are taken")
    raise EngineNotFoundError(
        f"engine='onnxruntime' was asked for, and {', and '.join(missing)}", action=_INSTALL
    )


def said(error: BaseException) -> str:
    """What an exception of onnxruntime says, without its code, on one line."""
    return (_CODE.sub("", " ".join(str(error).split())) or type(error).__name__)[:_LONGEST]


def convert(program: str, target: str) -> None:
    """Write a program as ONNX, with its weights. Raises IncompatibleError: it has no such form, and
    EngineNotFoundError: no child can be started."""
    # A link to a file that this process holds open means nothing to another one.
    weights = os.path.realpath(os.path.splitext(program)[0] + ".pdiparams")
    arguments = (program, weights if os.path.exists(weights) else "", target)
    try:
        end = children.run(
            "compatload.engines.onnx_conversion:main", *arguments, timeout=_CONVERSION_SECONDS
        )
    except OSError as error:
        raise EngineNotFoundError(
            f"{_CONVERTER} works in a child process, and none can be started: {error}",
            action=INSTEAD,
        ) from error
    if end.status == 0 and os.path.exists(target) and os.path.getsize(target):
        return
    told = f"{_CONVERTER} does not write the program as ONNX"
    lacking = _UNSUPPORTED.search(end.said)
    if lacking:
        names = ", ".join(name for name in lacking[1].split(",") if name)
        raise UnsupportedOperatorError(f"{told}: it has no form for {names}", action=INSTEAD)
    errors = _ERROR.findall(end.said)
    why = errors[-1] if errors else f"{end.how} {end.telling_line}"
    raise IncompatibleError(f"{told}: {why.strip()[:_LONGEST]}", action=INSTEAD)


class SessionRequest:
    """A session that threads share; arrays in by name, arrays out in the model's order."""

    def __init__(self, session: Any, program: EngineProgram) -> None:
        self.input_names = program.inputs
        # What the program does not read is no input of the session.
        self._read = {one.name for one in session.get_inputs()} & {*program.inputs}
        self._outputs = list(program.outputs)
        self._numbers = tuple(name in program.numbers for name in program.outputs)
        self._session = session

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs; Python's lock is free meanwhile. Raises RuntimeError."""
        feeds = {name: inputs[name] for name in self._read}
        try:
            found = self._session.run(self._outputs, feeds)
        except RuntimeError:
            raise
        except Exception as error:  # onnxruntime's own are no RuntimeErrors
            raise RuntimeError(said(error)) from error
        if not any(self._numbers):
            return list(found)
        # paddle2onnx gives them an axis.
        return [
            value.reshape(()) if number and value.size == 1 else value
            for value, number in zip(found, self._numbers)
        ]


def requests(
    laid_out: LaidOut,
    program: EngineProgram,
    *,
    threads: int,
    count: int,
    shapes: Mapping[str, Sequence[int]],
) -> list[SessionRequest]:
    """``count`` requests of one session, which compiles for no shapes.

    Raises EngineNotFoundError and IncompatibleError.
    """
    runtime = imported(_NAME, _NAME)
    options = runtime.SessionOptions()
    # A thread that calls computes itself, and shares what more of them there are with the others.
    options.intra_op_num_threads = 1 if threads == 1 else threads * count
    options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL
    try:
        with laid_out() as file:
            session = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except CompatLoadError:
        raise
    except Exception as error:
        raise IncompatibleError(
            f"onnxruntime {runtime.__version__} does not take the program: {said(error)}",
            action=INSTEAD,
        ) from error
    if lost := {*program.outputs} - {one.name for one in session.get_outputs()}:
        raise IncompatibleError(
            f"{_CONVERTER} lost outputs of the program: {', '.join(sorted(lost))}", action=INSTEAD
        )
    return [SessionRequest(session, program) for _ in range(count)]


ENGINE = Engine(
    name=_NAME,
    title=_NAME,
    installed=installed,
    require_installed=require_installed,
    # paddle2onnx names itself what it does not write.
    objections=lambda graph, release: tuple(flaws(graph, OF_ONNXRUNTIME)),
    requests=requests,
    said=said,
    # What would be renamed for an extension of OpenVINO.
    own=frozenset({"rnn"}),
    convert=convert,
)
