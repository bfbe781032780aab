"""The process that stands in one Paddle and answers for many cells.

It imports Paddle once and then only forks: every cell runs in a process of its own, which starts
in about ten milliseconds, sees nothing of the cells before it, and may die. One JSON object a
line comes in and one goes out. ``--once`` answers a single request without forking, in a process
that has done nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
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
        return measure(folder, request["api"], request["caller"], without).to_dict()
    if request["do"] == "save":
        return save(request["network"], Path(request["folder"]))
    if request["do"] == "describe":
        return describe(request)
    if request["do"] == "chains":
        from matrix.zoo.chains import chains

        return {"chains": chains(request["head"], request["length"], fork=request["fork"])}
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
    from matrix.saving import save as save_network
    from matrix.zoo import network

    try:
        # Proving it is the matrix's own business: the release's cells with itself.
        save_network(network(name), folder, verify=False)
    except Exception as error:
        return {"error": error_line(error)}
    return {}


def in_child(request: dict[str, Any], output: IO[bytes]) -> dict[str, Any]:
    """Answer in a forked process; its death and its silence are answers too."""
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
            os.write(send, json.dumps(answer(request)).encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            # Not sys.exit: what Paddle does at exit would be a second way to die.
            os._exit(status)
    os.close(send)
    try:
        data, in_time = read_until(receive, time.monotonic() + request["timeout"])
    finally:
        os.close(receive)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not in_time:
        return _failed(request, "hang", f"no answer in {request['timeout']:g} s")
    with contextlib.suppress(ValueError):
        result: dict[str, Any] = json.loads(data)
        return result
    return _failed(request, "crash", death(status, output))


def read_until(pipe: int, deadline: float) -> tuple[bytes, bool]:
    """Everything up to the end of the pipe, and whether that came before the deadline."""
    parts: list[bytes] = []
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        part = os.read(pipe, 65536)
        if not part:
            return b"".join(parts), True
        parts.append(part)
    return b"".join(parts), False


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

    sizes = [tuple(shape) for shape in request["shapes"]]
    try:
        save_published(request["name"], Path(request["source"]), sizes, Path(request["folder"]))
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
            print(json.dumps(in_child(json.loads(line), output)), file=answers, flush=True)


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
