"""Checks of folded models; runs in a real Paddle: python folded_starts.py FOLDER"""

from __future__ import annotations

import errno
import gc
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import paddle
from paddle import nn

import compatload
from compatload.loading.folded import VARIABLE
from compatload.loading.recall import folding_place
from compatload.loading.request import FOLDED
from compatload.programs import folding as folding_code
from compatload.serving import folding, folding_later, slow_starts
from compatload.serving.folding import fold_and_keep
from compatload.store.measured import runtime_here


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

    # From now on it is used: planned once, then recalled; wherever the very same files are.
    for known in (False, True):
        found, folded, recalled = served(path, image)
        assert (folded, recalled) == (True, known)
        assert np.array_equal(found, expected)
    shutil.copytree(folder, folder.parent / "elsewhere", ignore=shutil.ignore_patterns("cache"))
    assert served(str(folder.parent / "elsewhere/model"), image)[1]
    assert not left_over()
    # Not where somebody wants to look at it anew, or wants none of it.
    assert not served(path, image, disabled_rules=["CL216"])[1]
    os.environ[VARIABLE] = "off"
    assert not served(path, image)[1]
    assert "off" in fold_and_keep(path).problem
    del os.environ[VARIABLE]
    # Nor for a Config, which may ask for other passes.
    config = paddle.inference.Config(f"{path}.json", f"{path}.pdiparams")
    config.switch_ir_optim(False)
    predictor = compatload.safe_create_predictor(config)
    assert FOLDED not in compatload.load_report(predictor).notes
    del predictor
    gc.collect()
    assert not left_over()

    # A predictor, whose clones read links to the model's files: nobody keeps the weights twice.
    predictor = compatload.safe_create_predictor(path, threads=1)
    assert FOLDED in compatload.load_report(predictor).notes
    held = [one for folder in left_over() for one in folder.iterdir()]
    weights = [one for one in held if one.suffix == ".pdiparams"]
    assert weights
    assert all(one.is_symlink() for one in weights)
    assert any(os.readlink(one) == f"{path}.pdiparams" for one in weights)
    assert np.array_equal(answer(predictor.clone(), image), expected)
    assert np.array_equal(answer(predictor, image), expected)
    del predictor
    gc.collect()
    assert not left_over()

    # What is no verdict, or was written to, is not used; nor is one on other weights.
    for verdict in Path(os.environ["COMPATLOAD_CACHE"]).glob("entries/*/folding.json"):
        verdict.write_text(verdict.read_text().replace('"folded": 2', '"folded": 3'))
    found, folded, _ = served(path, image)
    assert not folded
    assert np.array_equal(found, expected)
    assert fold_and_keep(path, slow=0.0).folded == 2
    assert served(path, image)[1]
    # Nor where there is no room for it.
    fold, folding_code.fold = folding_code.fold, no_room
    found, folded, _ = served(path, image)
    folding_code.fold = fold
    assert not folded
    assert np.array_equal(found, expected)
    assert not left_over()
    # Nor where this process computes otherwise than the child that tried it.
    numpy_sqrt, np.sqrt = np.sqrt, lambda value: numpy_sqrt(value) * np.float32(1 + 1e-6)
    found, folded, _ = served(path, image)
    np.sqrt = numpy_sqrt
    assert not folded
    assert np.array_equal(found, expected)
    save(path, 2)
    found, folded, _ = served(path, image)
    assert not folded
    assert np.array_equal(found, by_hand(path, image))

    wrong(path, image)
    by_itself(path, image)
    print("ok")


def no_room(artifact, directory):
    (directory / "model.pdiparams").write_bytes(b"half of it")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def left_over():
    return list(Path(tempfile.gettempdir()).glob("compatload-load-*"))


def wrong(path, image):
    """One bit of one weight makes another model of it."""
    made = folding.folded_files

    def damaged(artifact):
        files = made(artifact)
        with open(files.path + ".pdiparams", "r+b") as file:
            file.seek(-40, os.SEEK_END)
            data = file.read(40)
            file.seek(-40, os.SEEK_END)
            file.write(bytes(byte ^ 1 for byte in data))
        return files

    folding.folded_files = damaged
    found = folding._tried(folding.request_for(path), 0.0)
    folding.folded_files = made
    assert found.problem == "its folded form computes other numbers", found
    assert not served(path, image)[1]


def by_itself(path, image):
    """A slow load has a child look at the folded form; what it finds is not asked for again."""
    slow_starts.SLOW = folding_later.REST = 0.0
    save(path, 3)
    expected = by_hand(path, image)

    # Paddle takes no time for this one: it stays as it is.
    served(path, image)
    until(lambda: "already" in kept(path))
    assert not served(path, image)[1]
    started = len(folding_later._looked_at)
    served(path, image)
    assert len(folding_later._looked_at) == started

    folding_later.SLOW = 0.0
    save(path, 4)
    expected = by_hand(path, image)
    os.environ[VARIABLE] = "off"
    folding_later._looked_at.clear()
    compatload.safe_create_predictor(path)
    del os.environ[VARIABLE]
    executable, sys.executable = sys.executable, "/usr/sbin/uwsgi"
    compatload.safe_create_predictor(path)
    sys.executable = executable
    assert not folding_later._looked_at

    compatload.safe_create_predictor(path)
    until(lambda: kept(path) == "")
    found, folded, _ = served(path, image)
    assert folded
    assert np.array_equal(found, expected)


def kept(path):
    verdict = folding_place(folding.request_for(path), runtime_here()).verdict()
    return "nothing yet" if verdict is None else verdict.problem


def until(true):
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
