"""Legacy networks that add a bias along the channels' axis (CL215); runs in a real Paddle.

python aligned_networks.py save FOLDER      every network, by a Paddle 2.6
python aligned_networks.py load FOLDER      what Paddle's own predictor and compatload make of
                                            each: a JSON object
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

TOLERANCE = 1e-5


def plain(x):
    return paddle.static.nn.conv2d(x, 5, 3)


def deep(x):
    return paddle.static.nn.conv2d(x, 4, 3, groups=4, use_cudnn=False)


def transposed(x):
    return paddle.static.nn.conv2d_transpose(x, 6, filter_size=3)


def spatial(x):
    return paddle.static.nn.conv3d(paddle.unsqueeze(x, 2), 5, (1, 3, 3))


def read_twice(conv):
    """The convolution's own result is an operand once more: its bias stays an addition."""

    def made(x):
        biased = conv(x)
        operators = x.block.ops
        result = next(one.output("Output")[0] for one in operators if "conv" in one.type)
        return F.relu(biased) + x.block.var(result)

    return made


def summed(conv):
    def made(x):
        biased = conv(x)
        return F.relu(biased) + biased

    return made


NETWORKS = {
    "convolution": lambda x: F.relu(plain(x)),
    "depthwise": lambda x: F.hardsigmoid(deep(x)),
    "transposed": lambda x: transposed(x) * 0.5,
    "normalised": lambda x: F.relu(paddle.static.nn.batch_norm(plain(x), is_test=True)),
    "spatial": lambda x: F.relu(spatial(x)),
    "read twice": read_twice(plain),
    "read twice, sigmoid": lambda x: F.hardsigmoid(read_twice(deep)(x)),
    "read twice, one channel": read_twice(lambda x: paddle.static.nn.conv2d(x, 1, 1)),
    "biased read twice": summed(plain),
    "spatial, biased read twice": summed(spatial),
}


def save(folder):
    paddle.enable_static()
    for name, compute in NETWORKS.items():
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            image = paddle.static.data("image", [-1, 4, 7, 8], "float32")
            result = compute(image)
            executor = paddle.static.Executor()
            executor.run(startup)
            for bias in (one for one in main.all_parameters() if len(one.shape) == 1):
                values = np.linspace(0.5, 1, bias.shape[0], dtype="float32")
                paddle.static.global_scope().find_var(bias.name).get_tensor().set(
                    values, paddle.CPUPlace()
                )
            path = str(folder / name / "model")
            paddle.static.save_inference_model(path, [image], [result], executor, program=main)


def by_predictor(path, image, plainly):
    config = paddle.inference.Config(f"{path}.pdmodel", f"{path}.pdiparams")
    config.disable_glog_info()
    if plainly:
        config.disable_mkldnn()
        config.switch_ir_optim(False)
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle("image").copy_from_cpu(image)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def load(folder):
    import compatload

    image = np.random.RandomState(0).randn(2, 4, 7, 8).astype("float32")
    told = {}
    for name in NETWORKS:
        path = str(folder / name / "model")
        expected = by_predictor(path, image, plainly=True)
        try:
            own = by_predictor(path, image, plainly=False)
            outcome = "ok" if np.abs(own - expected).max() < TOLERANCE else "wrong"
        except Exception:
            outcome = "error"
        served = compatload.safe_load(path, inference_only=True, threads=1)
        report = compatload.load_report(served)
        told[name] = {
            "own": outcome,
            "off": float(np.abs(served(image).numpy() - expected).max()),
            "rules": report.rules,
            "attempts": report.attempts,
        }
    return told


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "save":
        save(Path(sys.argv[2]))
    else:
        print("\n" + json.dumps(load(Path(sys.argv[2]))))
