"""Programs that other people saved, without their weights, in every release.

    python -m matrix.wild FOLDER                          every program below it
    python -m matrix.wild FOLDER --loader 3.3.1 --api predictor --minutes 20
    python -m matrix.wild FOLDER --only '*yolo*'          those cells, shown one by one

Public repositories keep programs of every age, and weights that are too large for them to keep: so
weights are drawn, from the shapes that the program declares and the part that each plays in it.
What Paddle 2.6.2 computes with its own loader, at two sizes, is what every release should. Nothing
of FOLDER goes into the checkout. What is told first is what compatload does not take although
Paddle does: no zoo has the attributes that Paddle 0.x and 1.x wrote.
Exit status: 0 compatload fails nowhere, 1 it does, 2 there is no program.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from compatload import inspect_artifact
from compatload.artifact.model import Parameter, Program, TensorSpec
from compatload.artifact.params import record_header
from compatload.artifact.program_desc import decode
from compatload.errors import CompatLoadError
from compatload.operators.admission import require_admissible
from matrix.artifacts import Artifact, note_origin, saved_already
from matrix.cells import APIS, Cell, Result, chosen
from matrix.environments import Environment, home
from matrix.execution import Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.pool import Worker, WorkerError
from matrix.progress import say
from matrix.provided import REFERENCE, SECONDS
from matrix.releases import REPRESENTATIVES as RELEASES
from matrix.run import install
from matrix.versions import entries

SAVER = "wild"
PROGRAMS = ("*.pdmodel", "__model__")
# Inputs of detectors that tell sizes and factors: any number would not do.
TOLD: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("im_shape", "im_size", "im_info"), (64, 65)),
    "scale_factor": (1, 2),
}
# Numbers that are drawn for a tensor, again and again if it is larger: a prime, so that no two
# filters are alike.
_DRAWN = 4093
_FORMATS = {"float32": "f", "float64": "d", "int32": "i", "int64": "q", "bool": "?", "uint8": "B"}


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    found = sorted(path for kind in PROGRAMS for path in asked.folder.rglob(kind))
    if not found:
        say(f"{asked.folder} has no {' and no '.join(PROGRAMS)}")
        return 2
    table = [entry for entry in entries() if entry.id in {REFERENCE, *asked.loader}]
    environments, unavailable = install(table)
    artifacts = [artifact(path, environments[REFERENCE]) for path in found]
    cells = [
        Cell(SAVER, one.model, loader, api, "compatload")
        for loader in asked.loader
        for api in asked.api
        for one in artifacts
    ]
    until = time.monotonic() + 60 * asked.minutes
    options = Options(asked.jobs, 120.0, until=until)
    with Journal(home() / "wild.jsonl") as journal:
        job = Job(environments, unavailable, artifacts, journal, options)
        results = confirm(job, execute(job, chosen(cells, asked.only)))
    return tell(artifacts, results)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.wild", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--loader", action="append", choices=RELEASES, help="default: all")
    parser.add_argument("--api", action="append", choices=APIS, help="default: all")
    parser.add_argument("--only", action="append", default=[], metavar="CELLS", help="a pattern")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no cell later")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args(arguments)
    asked.loader, asked.api = asked.loader or list(RELEASES), asked.api or list(APIS)
    return asked


def tell(artifacts: Sequence[Artifact], results: Mapping[Cell, Result]) -> int:
    """What failed, a line each, and counts; the exit status."""
    for one in artifacts:
        if one.error:
            say(f"{one.model}: {one.error}")
    counts: Counter[str] = Counter()
    failed = 0
    for cell, result in sorted(results.items()):
        counts[result.outcome] += 1
        if result.outcome not in ("ok", "not run"):
            failed += 1
            say(f"{cell.id}  {result.outcome}  {result.error or result.difference}")
    refused = sum(bool(one.error and one.error.startswith(_REFUSED)) for one in artifacts)
    said = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
    say(f"{len(artifacts)} programs, {refused} of them refused; {said or 'no cell'}")
    return 1 if failed or refused else 0


_REFUSED = "refused: "


def artifact(path: Path, environment: Environment) -> Artifact:
    """The program at ``path`` with drawn weights and the reference's outputs, or why not."""
    data = path.read_bytes()
    origin = hashlib.sha256(data).hexdigest()
    name = f"{path.parent.name}_{origin[:8]}"
    target = home() / "artifacts" / SAVER / name
    known = saved_already(target, origin)
    error = None if known else _described(data, name, target, environment)
    digest = known or ("" if error else note_origin(target, origin))
    return Artifact(SAVER, name, SAVER, target, digest, error)


def _described(data: bytes, name: str, target: Path, environment: Environment) -> str | None:
    source = home() / "wild" / name
    source.mkdir(parents=True, exist_ok=True)
    try:
        decoded = decode(data, name)
    except CompatLoadError as refused:
        return f"{_REFUSED}{refused.problem}"
    (source / "inference.pdmodel").write_bytes(data)
    chance = random.Random(name)  # noqa: S311 - the same weights every time
    drawn = weights(decoded.program, decoded.parameters, chance)
    (source / "inference.pdiparams").write_bytes(b"".join(drawn))
    if wrong := _objection(source / "inference"):
        return f"{_REFUSED}{wrong}"
    request = {
        "do": "describe",
        "name": name,
        "source": str(source),
        "folder": str(target),
        "sets": [[sized(one, *sizes) for one in decoded.program.inputs] for sizes in SIZES],
        "ranges": TOLD,
        "timeout": SECONDS,
    }
    with Worker(environment.python, "paddle", home(), log=home() / "logs/wild.log") as worker:
        try:
            error = worker.ask(request).get("error")
        except (WorkerError, OSError) as failed:
            return f"not run by {REFERENCE} alone: {failed}"
    return None if error is None else f"not run by {REFERENCE} alone: {error}"


def _objection(prefix: Path) -> str | None:
    try:
        require_admissible(inspect_artifact(prefix))
    except CompatLoadError as refused:
        return refused.problem
    return None


# A batch, and the sides of an image, for the sizes that a program leaves free.
SIZES = ((1, 64), (2, 96))


def sized(spec: TensorSpec, batch: int, side: int) -> list[int]:
    """A shape of that input: images have three channels, sequences eight places."""
    shape = spec.shape or ()
    free = {0: batch, 1: 3} if len(shape) == 4 else {0: batch}
    usual = side if len(shape) == 4 else 8
    return [free.get(axis, usual) if size < 0 else size for axis, size in enumerate(shape)]


def weights(
    program: Program, parameters: Sequence[TensorSpec], chance: random.Random
) -> Iterator[bytes]:
    """A file of combined weights, a piece a parameter: filters and matrices that keep the scale of
    what they are given, variances and scales about 1."""
    slots = {
        name: slot
        for operator in reversed(program.operators)
        for slot, names in operator.inputs.items()
        for name in names
    }
    for one in parameters:
        dtype, shape = one.dtype or "float32", one.shape or ()
        yield record_header(Parameter(one.name, dtype, shape))
        count, kind = math.prod(shape), _FORMATS[dtype]
        low, high = _range(slots.get(one.name, ""), shape) if kind in "fd" else (0, 1)
        drawn = [chance.uniform(low, high) for _ in range(min(count, _DRAWN))]
        values = drawn if kind in "fd" else list(map(round, drawn))
        times = -(-count // _DRAWN)
        piece = struct.pack(f"<{len(values)}{kind}", *values)
        yield (piece * times)[: count * struct.calcsize(kind)]


def _range(slot: str, shape: tuple[int, ...]) -> tuple[float, float]:
    if slot in ("Variance", "Scale"):
        return 0.75, 1.25
    taken = shape[0] if len(shape) == 2 else math.prod(shape[1:])
    most = math.sqrt(6 / taken) if len(shape) > 1 else 0.1
    return -most, most


if __name__ == "__main__":
    sys.exit(main())
