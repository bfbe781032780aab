"""Runs inside a real Paddle: loads beside a process that exchanges the weights all the while.

    python exchanged_weights.py CHECK API FOLDER

``between``: written in place just before Paddle reads, with the old time put back. ``rewritten``:
so all the while; every load gives the numbers of one version, or an error that is documented.
``fifo``: a FIFO takes the weights' name; no load stops. ``clones``: of a predictor whose weights
are gone. Prints what came of it and ``ok``.
"""

from __future__ import annotations

import collections
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
import numpy as np  # noqa: E402
import paddle  # noqa: E402
from worker import RUNNERS, loader  # noqa: E402

import compatload  # noqa: E402
from compatload.errors import DamagedArtifactError, UnsafeArtifactError  # noqa: E402

LOADS = 40  # of 150, 87 gave other numbers before weights were read from the file checked
NATIVE = "2.6.2/classifier" if paddle.__version__.startswith("2") else "3.0.0/classifier"

REWRITING = """
import os, random, sys, time
path, pause = sys.argv[1], float(sys.argv[2])
versions = [open(name, "rb").read() for name in sys.argv[3:]]
before = os.stat(path)
while True:
    for data in versions:
        with open(path, "r+b", buffering=0) as file:
            file.write(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        time.sleep(random.uniform(0, pause))
"""

PIPING = """
import os, random, sys, time
path, aside = sys.argv[1], sys.argv[1] + ".aside"
while True:
    os.link(path, aside)
    os.mkfifo(path + ".fifo")
    time.sleep(random.uniform(0, 0.06))
    os.replace(path + ".fifo", path)
    time.sleep(random.uniform(0, 0.01))
    os.replace(aside, path)
"""


def copied(folder, identity):
    shutil.copytree(index.fixture(identity).folder, folder / "copy")
    return folder / "copy" / "model"


def numbers(fixture, prefix, api):
    """The first output for the first stored inputs of the model at ``prefix``."""

    class Moved:
        path, methods, sets = prefix, ("forward",), range(1)
        inputs, outputs = fixture.inputs, fixture.outputs

    paddle.disable_static()
    found, _ = next(iter(RUNNERS[api](Moved, loader(api, "compatload"))))
    return np.asarray(found[0])


def loads_beside(code, arguments, load):
    """What came of many loads while another process runs ``code``."""
    other = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])
    seen = collections.Counter()
    try:
        for _ in range(LOADS):
            time.sleep(random.uniform(0, 0.02))
            seen[load()] += 1
    finally:
        other.kill()
        other.wait()
    return seen


def check_rewritten(folder, api):
    for identity in (NATIVE, "2.6.2/classifier"):
        fixture = index.fixture(identity)
        prefix = copied(folder, identity)
        weights = Path(f"{prefix}.pdiparams")
        numbers(fixture, prefix, api)
        started = time.perf_counter()
        first = numbers(fixture, prefix, api)
        pause = 0.05 + 5 * (time.perf_counter() - started)
        data = bytearray(weights.read_bytes())
        (folder / "first").write_bytes(data)
        # Every exponent of the last tensor's values stays, so that nothing becomes infinite.
        for offset in range(len(data) - 16, len(data), 4):
            data[offset + 2] ^= 0x40
        (folder / "second").write_bytes(data)
        weights.write_bytes(data)
        second = numbers(fixture, prefix, api)
        assert not np.allclose(first, second, atol=1e-6)

        def load():
            try:
                found = numbers(fixture, prefix, api)  # noqa: B023
            except DamagedArtifactError:
                return "refused"
            for name, wanted in (("first", first), ("second", second)):  # noqa: B023
                if np.allclose(found, wanted, atol=1e-6):
                    return name
            return "other numbers"

        seen = loads_beside(REWRITING, (weights, pause, folder / "first", folder / "second"), load)
        print(identity, dict(seen))
        assert not seen["other numbers"], seen
        assert seen["refused"] < LOADS, seen
        shutil.rmtree(folder / "copy")


def check_between(folder, api):
    """Written to just before Paddle reads: it would compute other numbers, without an error."""
    module, name = {
        "layer": (paddle.jit, "load"),
        "program": (paddle.static, "load_inference_model"),
        "predictor": (paddle.inference, "create_predictor"),
    }[api]
    own = getattr(module, name)
    for identity in (NATIVE, "2.6.2/classifier"):
        fixture = index.fixture(identity)
        prefix = copied(folder, identity)
        weights = Path(f"{prefix}.pdiparams")

        def reading(*arguments, **options):
            before = os.stat(weights)  # noqa: B023
            with open(weights, "r+b") as file:  # noqa: B023
                file.seek(-2, os.SEEK_END)
                last = file.read(1)[0]
                file.seek(-2, os.SEEK_END)
                file.write(bytes((last ^ 0x40,)))
            os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))  # noqa: B023
            return own(*arguments, **options)

        for _ in range(2):  # anew, and from memory
            setattr(module, name, reading)
            try:
                numbers(fixture, prefix, api)
                raise AssertionError("other numbers, and no error")
            except DamagedArtifactError:
                pass
            finally:
                setattr(module, name, own)
            numbers(fixture, prefix, api)
        shutil.rmtree(folder / "copy")


def check_fifo(folder, api):
    fixture = index.fixture("2.6.2/classifier" if api == "predictor" else NATIVE)
    prefix = copied(folder, fixture.identity)
    numbers(fixture, prefix, api)

    def load():
        try:
            return "loaded" if numbers(fixture, prefix, api) is not None else ""
        except (DamagedArtifactError, UnsafeArtifactError):
            return "refused"

    print(dict(loads_beside(PIPING, (f"{prefix}.pdiparams",), load)))


def check_clones(folder, api):
    for identity in {NATIVE, "2.6.2/classifier"}:
        fixture = index.fixture(identity)
        prefix = copied(folder, identity)
        config = paddle.inference.Config(
            f"{prefix}.json" if fixture.format == "pir" else f"{prefix}.pdmodel",
            f"{prefix}.pdiparams",
        )
        config.switch_ir_optim(False)
        config.disable_mkldnn()
        for asked in (str(prefix), config):
            predictor = compatload.safe_create_predictor(asked)
            reads = fixture.format == "pir"  # in Paddle's own hands, too
            if not reads:
                os.rename(f"{prefix}.pdiparams", folder / "aside")
            clones = [predictor.clone()]  # one that is deleted takes from the others
            clones.append(clones[0].clone())
            further = clones[1]
            for name, value in fixture.inputs(0).items():
                further.get_input_handle(name).copy_from_cpu(np.ascontiguousarray(value))
            further.run()
            found = further.get_output_handle(further.get_output_names()[0]).copy_to_cpu()
            assert index.difference([found], fixture.outputs(0)[:1]) <= fixture.tolerance
            if not reads:
                os.rename(folder / "aside", f"{prefix}.pdiparams")
        shutil.rmtree(folder / "copy")


if __name__ == "__main__":
    check, api, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    os.environ["COMPATLOAD_CACHE"] = str(folder / "cache")
    globals()[f"check_{check}"](folder, api)
    print("ok")
