"""Run limitation programs under the Paddle of this interpreter, each in a process of its own.

Started by run.py with a release's interpreter, and by dresses.py with a folder of other modules;
needs nothing but paddle and numpy, and compatload for the stage ``safe_save``. Reads one cell a
line from standard input (JSON: row, form, full_graph, stage) and answers one JSON line each. Paddle
is imported once; every cell then runs in a fork, so that a crash or a hang is a result. (Paddle's
own DataLoader forks its workers in the same way.)
"""

import contextlib
import importlib
import json
import os
import re
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

CASES = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "cases")
LIMIT_S = 15
SAFE_SAVE_LIMIT_S = 90  # it saves up to eight times, and compares each
# "ValueError: …", "(InvalidArgument) …", "paddle.base.libpaddle.EnforceNotMet: () …"
NAMED = re.compile(r"([\w.]*(Error|Exception|EnforceNotMet): )|(\(\w+\) \w)")
ABSOLUTE, RELATIVE = 1e-6, 1e-5  # float32, a handful of operations


def flatten(value):
    """Leaves of nested lists, tuples and dicts, in order: all that a saved program keeps."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flatten(item)]
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flatten(value[key])]
    return [value]


def as_array(leaf):
    import numpy as np

    return leaf.numpy() if hasattr(leaf, "numpy") else np.asarray(leaf)


def run(layer, inputs, gradient):
    """Outputs (and, where asked, the gradient of their sum) for one tuple of arrays."""
    import paddle

    tensors = [paddle.to_tensor(array) for array in inputs]
    if gradient:
        for tensor in tensors:
            tensor.stop_gradient = False
    outputs = [leaf for leaf in flatten(layer(*tensors)) if leaf is not None]
    arrays = [as_array(leaf) for leaf in outputs]
    if gradient:
        total = paddle.add_n([leaf.sum() for leaf in outputs])
        total.backward()
        arrays += [as_array(tensor.grad) for tensor in tensors]
    return arrays


def difference(expected, found):
    """What differs, in words, or None."""
    import numpy as np

    if len(expected) != len(found):
        return f"{len(found)} outputs where eager gives {len(expected)}"
    for one, other in zip(expected, found):
        if one.shape != other.shape:
            return f"shape {list(other.shape)} where eager gives {list(one.shape)}"
        if one.dtype.kind != other.dtype.kind:
            return f"{other.dtype} where eager gives {one.dtype}"
        if not np.allclose(one, other, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True):
            largest = np.max(np.abs(one.astype("float64") - other.astype("float64")))
            return f"largest difference {largest:.4g}"
    return None


def specification(case):
    from paddle.static import InputSpec

    return [InputSpec(shape, dtype) for shape, dtype in case.SPEC]


def called(case, layer, full_graph):
    """The layer itself, converted: traced when it is first called."""
    import paddle

    spec = specification(case) if getattr(case, "CALL_WITH_SPEC", False) else None
    return paddle.jit.to_static(layer, input_spec=spec, full_graph=full_graph)


def exported(case, layer, full_graph):
    """Converted, saved, and loaded again by Paddle."""
    import paddle

    static = paddle.jit.to_static(layer, input_spec=specification(case), full_graph=full_graph)
    before_save = getattr(case, "before_save", None)
    if before_save is not None:
        before_save(static)
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "model"))
        paddle.jit.save(static, prefix)
        return paddle.jit.load(prefix)


def safely_saved(case, layer, full_graph):
    """Saved and loaded by compatload, which must be on the path."""
    from compatload import safe_load, safe_save

    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "model"))
        safe_save(layer, prefix, input_spec=specification(case))
        return safe_load(prefix)


STAGES = {"call": called, "export": exported, "safe_save": safely_saved}


def outcome(cell):
    import paddle

    sys.path.insert(0, str(CASES))
    case = importlib.import_module(cell["row"])
    gradient = getattr(case, "GRADIENT", False)
    paddle.seed(0)
    layer = getattr(case, cell["form"])()
    full_graph = getattr(type(layer), "FULL_GRAPH", cell["full_graph"])
    expected = [run(layer, inputs, gradient) for inputs in case.INPUTS]
    try:
        static = STAGES[cell["stage"]](case, layer, full_graph)
        for number, inputs in enumerate(case.INPUTS):
            found = run(static, inputs, gradient and cell["stage"] == "call")
            # A loaded program is for inference: its gradients are not compared.
            differs = difference(expected[number][: len(found)], found)
            if differs is not None:
                return {"outcome": "wrong", "detail": f"input {number + 1}: {differs}"}
    except BaseException as error:  # whatever Paddle raises is the result
        outcome = "refused" if type(error).__module__ == "compatload.errors" else "error"
        return {"outcome": outcome, "detail": first_line(error), "trace": traceback.format_exc()}
    return {"outcome": "ok"}


def first_line(error):
    """The line that says what happened: Paddle wraps it in banners and transformed source."""
    lines = [line.strip() for line in str(error).splitlines()]
    named = [line for line in lines if NAMED.match(line)]
    said = [line for line in lines if line and not set(line) <= set("-=*^~ ")]
    line = (named or said or [""])[-1 if named else 0]
    name = type(error).__name__
    return clean(line if line.startswith(name) else f"{name}: {line}")


def clean(line):
    """Without what changes from run to run or from machine to machine."""
    line = re.sub(r"\b(\w+): [\w.]*\.\1: ", r"\1: ", line)
    line = re.sub(r"0x[0-9a-f]+", "0x…", line)
    line = re.sub(r"/[^ ]*/site-packages/", "", line)
    return line if len(line) <= 240 else line[:239] + "…"


def in_fork(cell):
    """The cell's result, told through a pipe by a fork that may die or hang."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            told = outcome(cell)
        except BaseException:  # a broken case must show as one
            told = {"outcome": "broken case", "detail": traceback.format_exc()}
        os.write(writer, json.dumps(told).encode()[:60000])
        os._exit(0)
    os.close(writer)
    limit = SAFE_SAVE_LIMIT_S if cell["stage"] == "safe_save" else LIMIT_S
    told = read_until(reader, time.monotonic() + limit)
    os.close(reader)
    if told is None:
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    if told is None:
        return {"outcome": "timeout", "detail": f"no answer in {limit} s"}
    if os.WIFSIGNALED(status) and not told:
        return {"outcome": "crash", "detail": signal.Signals(os.WTERMSIG(status)).name}
    if not told:
        return {"outcome": "crash", "detail": f"exit {os.WEXITSTATUS(status)}"}
    return json.loads(told)


def read_until(reader, end):
    """Everything written to the pipe, or None when time runs out first."""
    data = b""
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return None
        chunk = os.read(reader, 65536)
        if not chunk:
            return data
        data += chunk


def main():
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever Paddle prints must not mix with the answers
    import paddle

    with contextlib.suppress(BrokenPipeError):
        print(
            json.dumps({"paddle": paddle.__version__, "python": sys.version.split()[0]}),
            file=answers,
        )
        for line in sys.stdin:
            cell = json.loads(line)
            print(json.dumps({**cell, **in_fork(cell)}), file=answers)


if __name__ == "__main__":
    main()
