"""Runs inside a real Paddle: saves networks of the zoo, loads them in every way, runs each thrice.

python thrice.py save FOLDER NETWORK…
python thrice.py load FOLDER NETWORK=WAY,WAY…   prints, by network and way, what is not right

Each way runs in a fork: first at one size twice, then at the other, then at the first again.
"""

import json
import logging
import os
import select
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import numpy.random  # noqa: E402 (2.6 dies if that comes after Paddle)
import paddle  # noqa: E402

import compatload  # noqa: E402
from matrix.calls import Saved, load_jit, load_predictor, load_static  # noqa: E402
from matrix.comparison import difference  # noqa: E402
from matrix.saving import leaves_of, save  # noqa: E402
from matrix.zoo import network  # noqa: E402

LONGEST_S = 60


def served(saved, caller, options):
    layer = compatload.safe_load(saved.path, inference_only=True, **options)
    names = saved.input_names("forward")

    def run(method, feed):
        outputs = layer(*[paddle.to_tensor(feed[name]) for name in names])
        return [one.numpy() if hasattr(one, "numpy") else one for one in leaves_of(outputs)]

    return layer, run


WAYS = {"layer": load_jit, "program": load_static, "predictor": load_predictor, "served": served}


def ran(way, folder):
    """What is not right, or nothing."""
    saved = Saved.read(folder)
    with np.load(folder / "io.npz") as stored:
        arrays = dict(stored)
    _loaded, run = WAYS[way](saved, "compatload", {})
    last = saved.record["sets"] - 1
    found = []
    for number in (0, 0, last, last, 0):
        names = saved.input_names("forward")
        outputs = run("forward", {n: arrays[f"{number}/forward/in/{n}"] for n in names})
        count = saved.record["methods"]["forward"]["outputs"]
        wanted = [arrays[f"{number}/forward/out/{leaf}"] for leaf in range(count)]
        found.append(difference(outputs, wanted))
    right = max(found) <= saved.record["tolerance"]
    return "" if right else "wrong: " + ", ".join(f"{one:.3g}" for one in found)


def forked(way, folder):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        try:
            told = ran(way, folder)
        except BaseException as error:
            text = str(error).rpartition("Error Message Summary:")[2]
            told = f"{type(error).__name__}: {' '.join(text.split()).lstrip('- ')[:300]}"
        os.write(writing, told.encode() + b"\0")
        os._exit(0)
    os.close(writing)
    until, said = time.monotonic() + LONGEST_S, b""
    while select.select([reading], [], [], max(0, until - time.monotonic()))[0]:
        part = os.read(reading, 1 << 16)
        if not part:
            break
        said += part
    else:
        os.kill(child, 9)
    os.close(reading)
    status = os.waitpid(child, 0)[1]
    return said[:-1].decode() if said.endswith(b"\0") else f"dead: {status}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    errand, place, names = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    not_right, failed = {}, {}
    for asked in names:
        name, _, ways = asked.partition("=")
        if errand == "save":
            try:
                save(network(name), place / name, verify=False)
            except Exception as error:
                failed[name] = f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}"
        elif (place / name / "case.json").exists():
            for way in ways.split(",") if ways else WAYS:
                told = forked(way, place / name)
                if told:
                    not_right[f"{name} {way}"] = told
                    if os.environ.get("WATCH"):
                        print(paddle.__version__, name, way, told, flush=True)
    print(json.dumps(failed if errand == "save" else not_right))
