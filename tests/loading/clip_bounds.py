"""A clip behind a layer, whose bounds the file keeps in single precision; run in Paddle 3.x.

    python clip_bounds.py paddle|compatload FOLDER     the first to load it makes it

Prints the largest difference from what the layer computed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import paddle
from paddle import inference, nn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


class Clipped(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return paddle.clip(self.linear(x), -0.25, 0.3)


def save(folder):
    layer, x = Clipped(), paddle.linspace(-2, 2, 12).reshape([3, 4])
    spec = paddle.static.InputSpec([None, 4], "float32", "x")
    paddle.jit.save(layer, str(folder / "model"), input_spec=[spec])
    np.savez(folder / "io.npz", x=x.numpy(), y=layer(x).numpy())
    program = json.loads((folder / "model.json").read_text())
    for operator in program["program"]["regions"][0]["blocks"][0]["ops"]:
        for attribute in operator["A"] if operator["#"] == "1.full" else ():
            if attribute["N"] == "value":
                attribute["AT"]["#"] = "0.a_f32"  # as the translator of legacy programs writes it
    (folder / "model.json").write_text(json.dumps(program))


def answer(folder, make, x):
    config = inference.Config(str(folder / "model.json"), str(folder / "model.pdiparams"))
    config.enable_mkldnn()
    predictor = make(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def main(who, folder):
    if not (folder / "io.npz").exists():
        save(folder)
    if who == "paddle":
        make = inference.create_predictor
    else:
        from compatload import safe_create_predictor as make
    with np.load(folder / "io.npz") as saved:
        print(np.abs(answer(folder, make, saved["x"]) - saved["y"]).max())


main(sys.argv[1], Path(sys.argv[2]))
