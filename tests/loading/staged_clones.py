"""Runs inside a real Paddle: clones of a predictor whose program had to be rewritten.

    python staged_clones.py MODEL INPUTS.npz [FILE …]

Files of another model take the names of this one's before the second clone. Prints one JSON object:
how far two clones are from the predictor, and what is left of its files.
"""

import contextlib
import gc
import json
import os
import sys
import weakref
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from compatload import load_report, safe_create_predictor  # noqa: E402


def run(predictor, inputs):
    for name in predictor.get_input_names():
        predictor.get_input_handle(name).copy_from_cpu(inputs[name])
    predictor.run()
    names = predictor.get_output_names()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in names]


def held():
    """Directories of models that this process has locked."""
    found = set()
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(os.readlink(one))
    return [one for one in found if "/compatload-load-" in one]


def main(model, stored, *others):
    with np.load(stored) as arrays:
        inputs = dict(arrays)
    predictor = safe_create_predictor(model)
    steps = list(load_report(predictor).rules)
    expected = run(predictor, inputs)
    clones = [predictor.clone()]
    child = os.fork()
    if child == 0:
        weakref.finalize._exitfunc()  # what ends with a process; the rest is Paddle's, and hangs
        os._exit(0)
    os.waitpid(child, 0)
    for path in others:
        os.replace(path, str(Path(model + Path(path).suffix)))  # another model takes the name
    clones.append(predictor.clone())
    found = [run(clone, inputs) for clone in clones]
    differences = [
        float(np.abs(one - other).max()) for each in found for one, other in zip(each, expected)
    ]
    while_alive = len(held())
    del predictor, clones
    gc.collect()
    told = {"rules": steps, "differences": differences}
    print(json.dumps({**told, "while_alive": while_alive, "after": len(held())}))


if __name__ == "__main__":
    main(*sys.argv[1:])
