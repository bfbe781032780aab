"""Runs inside a real Paddle: loads fixtures through one API and prints what came of each.

    python worker.py CALLER APIS IDENTITY [IDENTITY ...]

CALLER is ``compatload`` or ``paddle``, APIS some of ``layer,program,predictor``. Each fixture is
loaded in a forked child, so that a crash is a result: one JSON object a line with ``fixture``,
``api``, ``outcome`` (ok, wrong, error, crash), ``difference`` and ``detail``. Paddle is imported
before the fork, once.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
import numpy as np  # noqa: E402

from compatload.runtime.cpu import detect_cpu  # noqa: E402


def leaves(structure):
    """The tensors of a nested output, in Paddle's order."""
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in leaves(item)]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in leaves(structure[key])]
    return [structure]


def as_arrays(tensors):
    return [np.asarray(tensor) for tensor in tensors]


def run_layer(fixture, load):
    import paddle

    layer = load(str(fixture.path))
    layer.eval()
    for method in fixture.methods:
        call = layer if method == "forward" else getattr(layer, method)
        for number in fixture.sets:
            inputs = [paddle.to_tensor(v) for v in fixture.inputs(number, method).values()]
            yield as_arrays(leaves(call(*inputs))), fixture.outputs(number, method)


def run_program(fixture, load):
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, feeds, fetches = load(str(fixture.path), executor)
    for number in fixture.sets:
        inputs = fixture.inputs(number)
        assert set(feeds) == set(inputs), (feeds, list(inputs))
        outputs = executor.run(program, feed=inputs, fetch_list=fetches)
        yield as_arrays(outputs), fixture.outputs(number)


def run_predictor(fixture, load):
    predictor = load(str(fixture.path))
    for number in fixture.sets:
        inputs = fixture.inputs(number)
        assert set(predictor.get_input_names()) == set(inputs), predictor.get_input_names()
        for name, value in inputs.items():
            predictor.get_input_handle(name).copy_from_cpu(np.ascontiguousarray(value))
        predictor.run()
        outputs = [
            predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()
        ]
        yield outputs, fixture.outputs(number)


def paddle_predictor(path):
    from paddle import inference

    suffix = ".json" if os.path.exists(path + ".json") else ".pdmodel"
    config = inference.Config(path + suffix, path + ".pdiparams")
    if "avx512f" not in detect_cpu().features:
        config.delete_pass("self_attention_fuse_pass")  # 2.6 dies of it on such a CPU: CL221
    return inference.create_predictor(config)


def loader(api, caller):
    if caller == "compatload":
        import compatload

        return {
            "layer": compatload.safe_load,
            "program": compatload.safe_load_inference_model,
            "predictor": compatload.safe_create_predictor,
        }[api]
    import paddle

    return {
        "layer": paddle.jit.load,
        "program": paddle.static.load_inference_model,
        "predictor": paddle_predictor,
    }[api]


RUNNERS = {"layer": run_layer, "program": run_program, "predictor": run_predictor}


def judge(fixture, api, caller):
    worst = 0.0
    try:
        for actual, expected in RUNNERS[api](fixture, loader(api, caller)):
            worst = max(worst, index.difference(actual, expected))
    except BaseException as error:
        return {"outcome": "error", "detail": f"{type(error).__name__}: {error}"[:2000]}
    outcome = "ok" if worst <= fixture.tolerance else "wrong"
    return {"outcome": outcome, "difference": worst, "detail": f"difference {worst:.3g}"}


def in_child(fixture, api, caller):
    """The verdict of a forked child; a signal is the outcome ``crash``."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w") as pipe:
            json.dump(judge(fixture, api, caller), pipe)
            pipe.flush()
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status or not text:
        return {"outcome": "crash", "detail": f"exit status {status}"}
    return json.loads(text)


def main(caller, apis, identities):
    import paddle  # noqa: F401 - imported once, before the forks

    for identity in identities:
        for api in apis:
            verdict = in_child(index.fixture(identity), api, caller)
            print(json.dumps({"fixture": identity, "api": api, **verdict}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].split(","), sys.argv[3:])
