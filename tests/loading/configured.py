"""Runs inside a real Paddle: predictors with the Configs that programs make.

python configured.py read               what compatload reads of each option, a JSON line each
python configured.py CALLER CONFIG[:memory] FIXTURE…
                                        what comes of each fixture, a JSON line each
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from matrix.calls import Saved  # noqa: E402
from matrix.comparison import difference  # noqa: E402
from matrix.named_configs import NAMED  # noqa: E402


def read():
    from dataclasses import asdict

    from paddle.inference import Config

    from compatload.loading.predictor_config import read_config

    default = asdict(read_config(Config()))
    print(json.dumps({"default": default}))
    for method, arguments in (
        *(("disable_mkldnn", ()), ("enable_mkldnn", ()), ("enable_mkldnn_bfloat16", ())),
        *(("enable_mkldnn_int8", ()), ("switch_ir_optim", (False,)), ("enable_memory_optim", ())),
        *(("enable_new_ir", (True,)), ("set_cpu_math_library_num_threads", (3,))),
    ):
        config = Config()
        if not hasattr(config, method):
            continue
        getattr(config, method)(*arguments)
        for each in (config, Config(config)):
            found = asdict(read_config(each))
            print(json.dumps({method: {k: v for k, v in found.items() if v != default[k]}}))


def in_memory(config, files):
    program, weights = (Path(file).read_bytes() for file in files)
    config.set_model_buffer(program, len(program), weights, len(weights))
    return config


def run(caller, name, folder):
    from paddle import inference

    from compatload import load_report, safe_create_predictor

    saved = Saved.read(Path(folder))
    name, _, kind = name.partition(":")
    own = inference.Config
    config = in_memory(own(), saved.files) if kind == "memory" else own(*saved.files)
    NAMED[name].apply(config)
    create = inference.create_predictor if caller == "paddle" else safe_create_predictor
    predictor = create(config)
    with np.load(saved.folder / "io.npz", allow_pickle=False) as io:
        arrays = dict(io)
    sets = range(saved.record["sets"])
    worst = 0.0
    for number in (*sets, *sets):
        for given in predictor.get_input_names():
            value = np.ascontiguousarray(arrays[f"{number}/forward/in/{given}"])
            predictor.get_input_handle(given).copy_from_cpu(value)
        predictor.run()
        names = predictor.get_output_names()
        actual = [predictor.get_output_handle(each).copy_to_cpu() for each in names]
        expected = [arrays[f"{number}/forward/out/{leaf}"] for leaf in range(len(names))]
        worst = max(worst, difference(actual, expected))
    report = load_report(predictor)
    return {
        "ok": worst <= saved.record["tolerance"],
        "onednn": report is None or report.step.options.onednn,
        "notes": [] if report is None else list(report.notes),
        "asked": None if report is None else report.plan.config.new_ir,
        "still": config.new_ir_enabled() if hasattr(config, "new_ir_enabled") else None,
    }


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read()
    else:
        caller, name, *folders = sys.argv[1:]
        for folder in folders:
            try:
                told = run(caller, name, folder)
            except Exception as error:
                told = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps({"folder": folder, **told}), flush=True)
