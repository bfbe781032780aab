"""What engines take: OpenVINO each operator by itself, and any the saved zoo through ``engine=``.

    python -m matrix.engine_facts operators    writes compatload/engines/data/openvino.json
    python -m matrix.engine_facts zoo [--engine onnxruntime] [--savers 2.6.2,3.3.1] [--only NAME …]
                                      [--output FILE]    writes matrix/results/ENGINE.json

Run it anywhere; the work is done by an environment with both engines and without Paddle. The zoo is
what ``matrix.run`` had the releases save; each network is run in a process of its own, at each of
its sizes, and compared with what the release computed when it saved it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "compatload/engines/data/openvino.json"
# Operators that no inference program has.
_UNWANTED = re.compile(r"_grad|^(c_|push|pull|send|recv|fetch_barrier)")
_FLOAT32, _TENSOR, _FEED, _FETCH = 5, 7, 9, 10
SECONDS = 60


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("errand", choices=("operators", "zoo"))
    parser.add_argument("--engine", default="openvino", choices=("openvino", "onnxruntime"))
    parser.add_argument("--savers", default="2.6.2,3.3.1")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--inside", action="store_true", help="this is that environment")
    options = parser.parse_args(arguments)
    if not options.inside:
        from matrix.engines import python_with_engines

        command = [python_with_engines(), "-m", "matrix.engine_facts", "--inside"]
        command += sys.argv[1:] if arguments is None else arguments
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    if options.errand == "operators":
        write(options.output or DATA, {"release": release("openvino"), "supported": [*supported()]})
        return 0
    rows = dict(zoo(options.engine, options.savers.split(","), options.only))
    if options.output or not options.only:
        written = options.output or ROOT / f"matrix/results/{options.engine}.json"
        write(written, {"release": release(options.engine), "networks": rows})
    for saver in options.savers.split(","):
        told = Counter(row["outcome"] for name, row in rows.items() if name.startswith(saver))
        print(saver, dict(told))
    wrong = [f"{name}: {row['detail']}" for name, row in rows.items() if row["outcome"] == "wrong"]
    print("\n".join(wrong))
    return 1 if wrong else 0


def write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def release(engine: str) -> str:
    from compatload.engines.known import ENGINES

    return ENGINES[engine].require_installed()


def supported() -> Iterator[str]:
    """Operators of Paddle 2.6 that OpenVINO has a conversion for, whatever else it says of them."""
    import openvino

    from compatload.operators.registry import legacy_operators

    core = openvino.Core()
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(legacy_operators("2.6.2")):
            if _UNWANTED.search(name):
                continue
            Path(folder, "m.pdmodel").write_bytes(alone(name))
            Path(folder, "m.pdiparams").touch()
            try:
                core.read_model(f"{folder}/m.pdmodel")
            except RuntimeError as error:
                if "No creator found" in str(error):
                    continue
            yield name


def alone(name: str) -> bytes:
    """A program of one operator, which need not make sense."""
    from compatload.artifact.program_proto import message
    from compatload.programs.legacy_repairs.program import new_operator

    program: Any = message("ProgramDesc")
    program.version.version = 2006002
    block = program.blocks.add(idx=0, parent_idx=-1)
    for variable, kind in (("feed", _FEED), ("fetch", _FETCH)):
        block.vars.add(name=variable, persistable=True).type.type = kind
    for variable in "xy":
        one = block.vars.add(name=variable, persistable=False)
        one.type.type = _TENSOR
        one.type.dense_tensor.tensor.data_type = _FLOAT32
        one.type.dense_tensor.tensor.dims.extend([2, 3])
    column = {"col": ("INT", 0)}
    block.ops.append(new_operator("feed", {"X": ["feed"]}, {"Out": ["x"]}, column))
    block.ops.append(new_operator(name, {"X": ["x"]}, {"Out": ["y"]}, {}))
    block.ops.append(new_operator("fetch", {"X": ["y"]}, {"Out": ["fetch"]}, column))
    return bytes(program.SerializeToString())


def zoo(
    engine: str, savers: Sequence[str], only: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """``saver/network`` and how it went: right, refused or wrong."""
    from matrix.environments import home

    warm(engine)
    for saver in savers:
        folder = home() / "artifacts" / saver
        for place in sorted(folder.iterdir()):
            if (place / "case.json").exists() and (not only or place.name in only):
                yield f"{saver}/{place.name}", in_child(place, engine)


def warm(name: str) -> None:
    """Import and read what every network asks for once, and not in every child."""
    import_module(name)
    from compatload.artifact.inspection import inspect_whole
    from compatload.engines.known import ENGINES
    from compatload.engines.program import engine_program
    from compatload.operators.admission import require_admissible

    for fixture in ("2.6.2/classifier", "3.3.1/classifier"):
        artifact = inspect_whole(ROOT / "tests/fixtures" / fixture / "model")
        require_admissible(artifact)
        engine_program(artifact, ENGINES[name], release(name))


def in_child(folder: Path, engine: str) -> dict[str, str]:
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            os.write(send, json.dumps(outcome(folder, engine)).encode())
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as stream:
        said = stream.read()
    _, status = os.waitpid(child, 0)
    if not said and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return {"outcome": "refused", "detail": f"not within {SECONDS} seconds"}
    if not said:
        return {"outcome": "wrong", "detail": f"it ended with status {status}"}
    told: dict[str, str] = json.loads(said)
    return told


def outcome(folder: Path, engine: str) -> dict[str, str]:
    import numpy as np

    from compatload.engines.known import ENGINES
    from compatload.errors import CompatLoadError, IncompatibleError
    from compatload.loading.request import layer_request
    from compatload.serving.engine import EngineCandidate
    from compatload.serving.options import InferenceOptions
    from compatload.trials.comparison import ENGINE, disagreement

    case = json.loads((folder / "case.json").read_text())
    described = case["methods"]["forward"]
    try:
        request = layer_request(folder / case["prefix"])
        options = InferenceOptions(engine=engine, threads=1)
        layer = EngineCandidate.found(ENGINES[engine], request, options).layer()
    except IncompatibleError as error:
        return {"outcome": "refused", "detail": error.problem.replace(str(folder), "…")}
    except CompatLoadError as error:
        return {"outcome": "wrong", "detail": str(error)}
    with np.load(folder / "io.npz") as arrays:
        for number in range(case["sets"]):
            named = [f"{number}/forward/in/{one['name']}" for one in described["inputs"]]
            made = [f"{number}/forward/out/{one}" for one in range(described["outputs"])]
            try:
                found = layer(*(arrays[name] for name in named))
            except RuntimeError as error:
                return {"outcome": "refused", "detail": f"at run time: {error}"}
            outputs = found if isinstance(found, list) else [found]
            problem = disagreement(outputs, [arrays[name] for name in made], ENGINE)
            if problem:
                return {"outcome": "wrong", "detail": problem}
    return {"outcome": "right", "detail": ""}


if __name__ == "__main__":
    sys.exit(main())
