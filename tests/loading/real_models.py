"""Runs inside a real Paddle: saves ``paddle.vision.models``, or runs real models on seeded inputs.

    python real_models.py save FOLDER NAME [NAME ...]
    python real_models.py run OUTPUT CALLER [--same-input] PREFIX:HEIGHTxWIDTH [...]

``run`` loads each model through the three loaders (``compatload``'s or ``paddle``'s own) and
writes ``OUTPUT.npz`` with ``<index>/<api>/<leaf>``. Each model has an input of its own, unless
``--same-input`` gives all of the same size the same one. ``save`` writes ``FOLDER/NAME/model.*``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent), str(ROOT / "tests" / "fixtures")]

import numpy as np  # noqa: E402
from worker import as_arrays, leaves, loader  # noqa: E402


def save(folder, names):
    import paddle

    for name in names:
        paddle.seed(2026)
        layer = getattr(paddle.vision.models, name)(pretrained=False)
        layer.eval()
        spec = [paddle.static.InputSpec([None, 3, 64, 64], "float32", "image")]
        paddle.jit.save(layer, os.path.join(folder, name, "model"), input_spec=spec)


def run(output, caller, models):
    import paddle

    results = {}
    same = "--same-input" in models
    models = [model for model in models if model != "--same-input"]
    for number, model in enumerate(models):
        prefix, _, size = model.rpartition(":")
        height, width = map(int, size.split("x"))
        image = (
            np.random.RandomState(0 if same else number).rand(1, 3, height, width).astype("float32")
        )
        for api, outputs in (
            ("layer", by_layer(prefix, caller, image)),
            ("predictor", by_predictor(prefix, caller, image)),
            ("program", by_program(prefix, caller, image)),
        ):
            for leaf, value in enumerate(outputs):
                results[f"{number}/{api}/{leaf}"] = value
        paddle.disable_static()
    np.savez(output, **results)


def by_layer(prefix, caller, image):
    import paddle

    layer = loader("layer", caller)(prefix)
    layer.eval()
    return as_arrays(leaves(layer(paddle.to_tensor(image))))


def by_predictor(prefix, caller, image):
    predictor = loader("predictor", caller)(prefix)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(image)
    predictor.run()
    return [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]


def by_program(prefix, caller, image):
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, feeds, fetches = loader("program", caller)(prefix, executor)
    return as_arrays(executor.run(program, feed={feeds[0]: image}, fetch_list=fetches))


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save(sys.argv[2], sys.argv[3:])
    else:
        run(sys.argv[2], sys.argv[3], sys.argv[4:])
