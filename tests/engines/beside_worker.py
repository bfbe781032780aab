"""Runs where Paddle and engines are: prints ``ok NAME`` for each function ``check_…``.

python beside_worker.py FOLDER ENGINE
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["COMPATLOAD_CACHE"] = f"{sys.argv[1]}/cache"

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from engines.checks import carry_out  # noqa: E402
from fixtures.index import fixture  # noqa: E402

from compatload import ModelHandle, errors, load_report, safe_load, safe_save  # noqa: E402
from compatload.errors import IncompatibleError, UsageError  # noqa: E402

FOLDER, ENGINE = Path(sys.argv[1]), sys.argv[2]


class Halved(paddle.nn.Layer):
    """To a size that is computed, and smaller: OpenVINO rounds up where Paddle rounds down."""

    def forward(self, x, y):
        size = paddle.shape(y)[2:]
        return paddle.nn.functional.interpolate(x, size=size, mode="nearest")


class Normalised(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.convolution = paddle.nn.Conv2D(3, 4, 3, padding=1)
        self.norm = paddle.nn.InstanceNorm2D(4)

    def forward(self, x):
        return paddle.nn.functional.mish(self.norm(self.convolution(x)))


class Anchored(paddle.nn.Layer):
    """Hands out what is stored, which OpenVINO loses, and counts in a type of its own."""

    def __init__(self):
        super().__init__()
        self.register_buffer("anchors", paddle.arange(6, dtype="float32").reshape([3, 2]))
        self.register_buffer("flags", paddle.to_tensor([True, False]))

    def forward(self, x):
        return (x > 0).astype("int32").sum(1), self.anchors, self.flags


def saved(layer, *shapes, save=paddle.jit.save, dtype="float32"):
    layer.eval()
    path = str(FOLDER / type(layer).__name__)
    names = "xyz"
    spec = [paddle.static.InputSpec(s, dtype, names[n]) for n, s in enumerate(shapes)]
    save(layer, path, input_spec=spec)
    return path


class Rest(paddle.nn.Layer):
    """OpenVINO divides whole numbers in float32, and keeps 32 bits of them."""

    def forward(self, x):
        return x % 1000


class Angles(paddle.nn.Layer):
    """OpenVINO gives asin(-1) as asin(1)."""

    def forward(self, x):
        return paddle.asin(x)


class Doubled(paddle.nn.Layer):
    """paddle2onnx scales in float32, OpenVINO computes all in it."""

    def forward(self, x):
        return x * 0.5


class Stretched(paddle.nn.Layer):
    """paddle2onnx makes one place too much of odd sizes."""

    def __init__(self):
        super().__init__()
        self.convolution = paddle.nn.Conv2DTranspose(3, 4, 3, 2, "SAME")

    def forward(self, x):
        return self.convolution(x)


def check_large_whole_numbers_are_right_or_refused():
    for dtype, large in (("int32", 123456789), ("int64", 1700000000123)):
        path = saved(Rest(), [None], dtype=dtype)
        with safe_load(path, inference_only=True, engine=ENGINE, threads=1) as served:
            assert served(paddle.to_tensor([5, 12345], dtype)).tolist() == [5, 345]
            told = "whole numbers above" in str(load_report(served))
            try:
                found = served(paddle.to_tensor([large], dtype)).tolist()
            except UsageError:
                assert told
            else:
                assert found == [large % 1000]


def check_what_usual_inputs_do_not_show_is_right_or_refused():
    cases = (
        (Angles(), [None], "float32", np.array([-1.0, 1.0], "float32")),
        (Doubled(), [None], "float64", np.array([1e200, 1.0])),
        (Stretched(), [None, 3, None, None], "float32", np.ones((1, 3, 7, 5), "float32")),
    )
    for layer, shape, dtype, value in cases:
        path = saved(layer, shape, dtype=dtype)
        try:
            served = safe_load(path, inference_only=True, engine=ENGINE, threads=1)
        except (IncompatibleError, errors.UnsupportedOperatorError):
            continue
        expected = layer(paddle.to_tensor(value)).numpy()
        np.testing.assert_allclose(served(value).numpy(), expected, 1e-5, 1e-5)


def check_a_tensor_without_axes_goes_in():
    path = saved(Doubled(), [])
    with safe_load(path, inference_only=True, engine=ENGINE, threads=1) as served:
        assert float(served(paddle.to_tensor(3.0))) == 1.5


def check_what_is_stored_is_handed_out():
    layer = Anchored()
    with safe_load(saved(layer, [None, 3]), inference_only=True, engine=ENGINE) as served:
        x = paddle.to_tensor([[1.0, -1.0, 2.0]])
        for found, expected in zip(served(x), layer(x), strict=True):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.numpy(), expected.numpy())


def check_tensors_in_and_out():
    layer = Normalised()
    path = saved(layer, [None, 3, None, None])
    with safe_load(path, inference_only=True, engine=ENGINE, threads=1) as served:
        for size in (8, 13):
            x = paddle.rand([2, 3, size, size + 2])
            expected = layer(x)
            found = served(x)
            assert isinstance(found, paddle.Tensor), type(found)
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(served(x.numpy()).numpy(), found.numpy())
            part = paddle.concat([x, x], 1)[:, :3]  # no memory of its own
            np.testing.assert_array_equal(served(part).numpy(), found.numpy())
        report = load_report(served)
    assert report.engine == ENGINE
    assert report.to_dict()["engine"] == ENGINE
    assert "agree with the plain executor" in report.notes[0], report.notes
    assert any("instance_norm" in note for note in report.notes), report.notes


def check_the_verdict_is_kept():
    path = fixture("2.6.2/classifier").path
    taken = []
    for _ in range(2):
        started = time.perf_counter()
        safe_load(path, inference_only=True, engine=ENGINE, threads=1).close()
        taken.append(time.perf_counter() - started)
    assert taken[1] < 0.5 * taken[0], taken


def check_what_is_wrong_is_refused():
    path = saved(Halved(), [1, 2, 16, 16], [1, 2, None, None])
    inputs = [np.random.rand(1, 2, size, size).astype("float32") for size in (16, 11)]
    asked = {"inference_only": True, "sample_inputs": inputs, "threads": 1}
    try:
        safe_load(path, engine="openvino", **asked)
    except IncompatibleError as error:
        told = str(error)
    assert "differs by" in told, told
    with safe_load(path, engine="auto", **asked) as served:
        report = load_report(served)
        x, y = map(paddle.to_tensor, inputs)
        np.testing.assert_array_equal(served(x, y).numpy(), Halved()(x, y).numpy())
    assert report.engine in ("paddle", "onnxruntime"), report


def check_auto_measures():
    path = saved(Normalised(), [None, 3, None, None])
    with safe_load(path, inference_only=True, engine="auto", threads=1) as served:
        report = load_report(served)
    (told,) = (note for note in report.notes if note.startswith("engine:"))
    assert "a call, measured here once with 1x3x224x224" in told, told
    assert "openvino" in told, told
    assert "paddle" in told, told


def check_shapes_of_every_call():
    """By both engines: the same numbers, no other shape, and no shape that the model has not."""
    layer = Normalised()
    path = saved(layer, [None, 3, None, None])
    x = paddle.rand([2, 3, 9, 11])
    for engine in (ENGINE, "auto", "paddle"):
        asked = {"inference_only": True, "engine": engine, "threads": 1}
        with safe_load(path, shapes={"x": (2, 3, 9, 11)}, **asked) as served:
            found = served(x).numpy()
            np.testing.assert_allclose(found, layer(x).numpy(), rtol=1e-4, atol=1e-5)
            refused(served, paddle.rand([1, 3, 9, 11]), "[1, 3, 9, 11]")
        for wrong in ({"y": (1, 3, 9, 9)}, {"x": (1, 4, 9, 9)}, {"x": (1, 3, 9)}):
            refused(safe_load, path, next(iter(wrong)), shapes=wrong, **asked)
    wrong = {"sample_inputs": [x], "shapes": {"x": (1, 3, 9, 11)}}
    refused(safe_load, path, "[2, 3, 9, 11]", inference_only=True, engine=ENGINE, **wrong)


def refused(call, value, words, **asked):
    told = "it went through"
    try:
        call(value, **asked)
    except UsageError as error:
        told = str(error)
    assert words in told, told


def check_a_record_of_another_shape():
    path = saved(Normalised(), [None, 3, None, None], save=safe_save)
    asked = {"inference_only": True, "engine": ENGINE, "threads": 1, "verify": True}
    safe_load(path, shapes={"x": (1, 3, 31, 17)}, **asked).close()


def check_a_handle():
    one = fixture("3.3.1/classifier")
    (value,) = one.inputs(0).values()
    with ModelHandle(one.path, engine=ENGINE, threads=1, watch=None) as model:
        before = model(value)
        assert isinstance(before, paddle.Tensor)
        assert model.reload(), model.status()
        np.testing.assert_array_equal(model(value).numpy(), before.numpy())


def check_what_safe_save_recorded():
    path = saved(Normalised(), [None, 3, 16, 16], save=safe_save)
    safe_load(path, inference_only=True, engine=ENGINE, threads=1, verify=True).close()


carry_out(globals())
