"""The process that stands in one Paddle and answers for many cells.

It imports Paddle once and then only forks: every cell runs in a process of its own, which starts
in about ten milliseconds, sees nothing of the cells before it, and may die. One JSON object a
line comes in and one goes out. ``{"do": "several", "requests": […]}`` is answered by one process
as far as it lives: for thousands of small models, whose failures are asked again alone.
``--once`` answers a single request without forking, in a process that has done nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import IO, Any

from matrix.calls import clean, crash_line, error_line, measure
from matrix.cells import Result

# What loads import on the way, each in a child of its own if it were not there already.
LOADED = tuple(
    f"compatload.{name}"
    for name in ("artifact", "faults", "loading", "operators", "programs", "runtime")
)
TAIL = 20_000  # bytes of a cell's output that are looked at


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do what a request asks, in this process."""
    if request["do"] == "load":
        folder, without = Path(request["folder"]), request.get("without", ())
        again = bool(request.get("again"))
        try:
            return measure(
                folder, request["api"], request["caller"], without, again=again
            ).to_dict()
        finally:  # the next answer of this process may be a layer
            import_module("paddle").disable_static()
    if request["do"] == "save":
        return save(request["network"], Path(request["folder"]))
    if request["do"] == "make":
        from matrix.generator.drawing import make

        folder, wanted = Path(request["folder"]), request.get("wanted", ())
        dresses = request.get("dresses", ())
        return make(
            request["seed"], request["number"], folder, wanted, dresses, request.get("ways", ())
        )
    if request["do"] == "describe":
        return describe(request)
    if request["do"] == "chains":
        from matrix.zoo.chains import chains

        return {"chains": chains(**request["wanted"])}
    return {"networks": listing()}


def listing() -> dict[str, dict[str, Any]]:
    from matrix.zoo import files, networks

    standing = files()
    return {
        name: {
            "file": standing[name],
            "family": network.family,
            "since": network.since,
            "savers": list(network.savers),
            "tier": network.tier,
        }
        for name, network in networks().items()
    }


def save(name: str, folder: Path) -> dict[str, Any]:
    from matrix.generator.description import MADE
    from matrix.saving import save as save_network
    from matrix.zoo import network

    try:
        if name.startswith(MADE):
            from matrix.generator.drawing import save_described

            save_described(name, folder)
            return {}
        # Proving it is the matrix's own business: the release's cells with itself.
        save_network(network(name), folder, verify=False)
    except Exception as error:
        return {"error": error_line(error)}
    return {}


def in_children(requests: Sequence[dict[str, Any]], output: IO[bytes]) -> list[dict[str, Any]]:
    """Answer in forked processes, one request after the other in the same until it dies or is
    silent for too long, which are answers too."""
    answers: list[dict[str, Any]] = []
    while len(answers) < len(requests):
        answers += in_child(requests[len(answers) :], output)
    return answers


def in_child(requests: Sequence[dict[str, Any]], output: IO[bytes]) -> list[dict[str, Any]]:
    """What one forked process answers, to the last request that it did not survive."""
    receive, send = os.pipe()
    output.seek(0)
    output.truncate()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(receive)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            for request in requests:
                os.write(send, json.dumps(answer(request)).encode() + b"\n")
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            # Not sys.exit: what Paddle does at exit would be a second way to die.
            os._exit(status)
    os.close(send)
    try:
        lines, in_time = read_lines(receive, [float(one["timeout"]) for one in requests])
    finally:
        os.close(receive)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    answers: list[dict[str, Any]] = [json.loads(line) for line in lines]
    if len(answers) < len(requests):
        request = requests[len(answers)]
        late = ("hang", f"no answer in {request['timeout']:g} s")
        answers.append(_failed(request, *(("crash", death(status, output)) if in_time else late)))
    return answers


def read_lines(pipe: int, seconds: Sequence[float]) -> tuple[list[bytes], bool]:
    """Whole lines up to the end of the pipe, and whether each came in its time."""
    data = b""
    for number, longest in enumerate(seconds):
        deadline = time.monotonic() + longest
        while data.count(b"\n") <= number:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([pipe], [], [], left)[0]:
                return data.split(b"\n")[:-1], False
            part = os.read(pipe, 65536)
            if not part:
                return data.split(b"\n")[:-1], True
            data += part
    return data.split(b"\n")[:-1], True


def death(status: int, output: IO[bytes]) -> str:
    """How a child died, from its status and the last that it printed."""
    size = os.fstat(output.fileno()).st_size
    text = os.pread(output.fileno(), TAIL, max(0, size - TAIL)).decode(errors="replace")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return crash_line(signal.Signals(number).name, text)
    last = text.strip().splitlines()[-1:] or [""]
    return clean(f"exit status {os.WEXITSTATUS(status)}: {last[0]}")


def _failed(request: dict[str, Any], outcome: str, error: str) -> dict[str, Any]:
    if request["do"] == "load":
        return Result(outcome, error=error).to_dict()
    return {"error": error}


def describe(request: dict[str, Any]) -> dict[str, Any]:
    from matrix.saving import save_published

    sets = [[tuple(shape) for shape in shapes] for shapes in request["sets"]]
    source, folder = Path(request["source"]), Path(request["folder"])
    try:
        save_published(request["name"], source, sets, folder, request.get("ranges"))
    except Exception as error:
        return {"error": error_line(error)}
    return {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("errand", choices=("save", "paddle", "compatload"))
    parser.add_argument("--once", action="store_true")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    requests, answers = sys.stdin, os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Paddle prints must not reach the protocol
    if arguments.once:
        print(json.dumps(answer(json.loads(requests.readline()))), file=answers, flush=True)
        os._exit(0)

    warm(arguments.errand)
    print(json.dumps({"ready": True}), file=answers, flush=True)
    with tempfile.TemporaryFile() as output:
        for line in requests:
            request = json.loads(line)
            several = request["requests"] if request["do"] == "several" else [request]
            done = in_children(several, output)
            told = {"answers": done} if request["do"] == "several" else done[0]
            print(json.dumps(told), file=answers, flush=True)


def warm(errand: str) -> None:
    """Import what every request needs; run nothing, so that no thread exists when forking."""
    # The last one is what reading a zip file, such as the stored outputs, imports.
    for module in (
        "paddle",
        "paddle.inference",
        "paddle.static",
        "matrix.saving",
        "encodings.cp437",
    ):
        import_module(module)
    if errand == "save":
        from matrix.zoo import networks

        networks()
    if errand == "compatload":
        for package in LOADED:
            for module in walk_packages(import_module(package).__path__, f"{package}."):
                import_module(module.name)
        from compatload.artifact.program_proto import message

        message("ProgramDesc")  # protobuf's own modules are imported only now


if __name__ == "__main__":
    main()
