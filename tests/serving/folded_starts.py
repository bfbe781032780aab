"""Checks of folded models; runs in a real Paddle: python folded_starts.py FOLDER"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import paddle
from paddle import nn

import compatload
from compatload.loading.request import FOLDED
from compatload.serving.folding import fold_and_keep


class Network(nn.Layer):
    """Normalisations that fold into convolutions, and two that do not: one behind a convolution
    that is read twice, one that stands alone."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2D(3, 8, 3, stride=2, bias_attr=False)
        self.deep = nn.Conv2D(8, 8, 3, groups=8, bias_attr=False)
        self.twice = nn.Conv2D(8, 8, 1, bias_attr=False)
        self.norms = nn.LayerList(nn.BatchNorm2D(8) for _ in range(4))
        self.last = nn.Linear(8, 5)

    def forward(self, image):
        value = nn.functional.relu(self.norms[0](self.first(image)))
        value = nn.functional.hardswish(self.norms[1](self.deep(value)))
        made = self.twice(value)
        value = nn.functional.relu(self.norms[2](made)) + made
        return self.last(self.norms[3](value).mean([2, 3]))


def save(path, seed):
    paddle.seed(seed)
    net = Network()
    for number, stored in enumerate(net.state_dict().values()):
        stored.set_value(paddle.rand(stored.shape) + (0.5 if number % 2 else 0.1))
    net.eval()
    spec = [paddle.static.InputSpec([None, 3, None, None], "float32", "image")]
    paddle.jit.save(net, path, input_spec=spec)


def by_hand(path, image):
    config = paddle.inference.Config(f"{path}.json", f"{path}.pdiparams")
    config.disable_glog_info()
    return answer(paddle.inference.create_predictor(config), image)


def answer(predictor, image):
    predictor.get_input_handle("image").copy_from_cpu(image)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def served(path, image, **asked):
    layer = compatload.safe_load(path, inference_only=True, threads=1, **asked)
    report = compatload.load_report(layer)
    assert report.plan.artifact == path, report.plan.artifact
    assert repr(layer).startswith(f"<InferenceLayer {path} "), layer
    return layer(image).numpy(), FOLDED in report.notes, report.recalled


def main(folder):
    path = str(folder / "model")
    save(path, 1)
    image = np.random.RandomState(0).rand(2, 3, 33, 40).astype("float32")
    expected = by_hand(path, image)

    found, folded, _ = served(path, image)
    assert not folded
    assert np.array_equal(found, expected)
    done = fold_and_keep(path, slow=0.0)
    assert (done.problem, done.folded) == ("", 2), done

    # From now on it is used: planned once, then recalled.
    for known in (False, True):
        found, folded, recalled = served(path, image)
        assert (folded, recalled) == (True, known)
        assert np.array_equal(found, expected)
    # Not where somebody wants to look at it anew.
    assert not served(path, image, disabled_rules=["CL216"])[1]

    # A predictor, and its clone while the cache is away.
    cache = Path(os.environ["COMPATLOAD_CACHE"])
    predictor = compatload.safe_create_predictor(path, threads=1)
    assert FOLDED in compatload.load_report(predictor).notes
    away = cache.rename(folder / "away")
    assert np.array_equal(answer(predictor.clone(), image), expected)
    assert np.array_equal(answer(predictor, image), expected)
    assert not served(path, image)[1]
    shutil.rmtree(cache)
    away.rename(cache)
    assert served(path, image)[1]

    # What was written to in the cache is not used; nor is what belongs to other weights.
    for weights in cache.glob("entries/*/model.pdiparams"):
        data = bytearray(weights.read_bytes())
        data[-1] ^= 1
        weights.write_bytes(data)
    found, folded, _ = served(path, image)
    assert not folded
    assert np.array_equal(found, expected)
    save(path, 2)
    found, folded, _ = served(path, image)
    assert not folded
    assert np.array_equal(found, by_hand(path, image))
    print("ok")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
