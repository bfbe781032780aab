"""Runs inside a real Paddle: what a layer for inference does. Prints ``ok NAME`` for each check.

    python inference_worker.py FOLDER

Checks are the functions named ``check_…``; FOLDER is for the models that they save.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
import numpy as np  # noqa: E402
import paddle  # noqa: E402

import compatload  # noqa: E402
from compatload.serving.layer import InferenceLayer  # noqa: E402

FOLDER = Path(sys.argv[1])


class Net(paddle.nn.Layer):
    """Two inputs, two outputs, the second of which is easily lost: an intermediate."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(8, 8)

    def forward(self, x, y):
        middle = paddle.nn.functional.relu(x - y)
        return self.linear(middle), middle


def saved(layer=None, shapes=((None, 8), (None, 8)), names=("x", "y")):
    layer = layer or Net()
    layer.eval()
    path = str(FOLDER / type(layer).__name__)
    spec = [
        paddle.static.InputSpec(list(shape), "float32", name) for shape, name in zip(shapes, names)
    ]
    paddle.jit.save(layer, path, input_spec=spec)
    return path, layer


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape).astype("float32")


def leaves(structure):
    return list(structure) if isinstance(structure, (list, tuple)) else [structure]


def caught(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def raised(kind, call):
    return str(caught(kind, call))


def check_every_fixture_as_the_jit_layer():
    """Values, structure, dtypes and shapes, on the first step of the plan."""
    for fixture in index.fixtures():
        layer = compatload.safe_load(str(fixture.path))
        layer.eval()
        served = compatload.safe_load(str(fixture.path), inference_only=True, pool_size=2)
        assert isinstance(served, InferenceLayer)
        assert compatload.load_report(served).attempts == (), fixture.identity
        for number in fixture.sets:
            arrays = list(fixture.inputs(number).values())
            given = [paddle.to_tensor(array) for array in arrays]
            expected = layer(*[paddle.to_tensor(array) for array in arrays])
            actual = served(*given)
            # Paddle's own layer returns a list for two outputs and more, and a tensor for one.
            assert isinstance(actual, list) is isinstance(expected, (list, tuple))
            pairs = list(zip(leaves(actual), leaves(expected)))
            assert len(pairs) == len(leaves(actual)) == len(leaves(expected))
            for left, right in pairs:
                assert isinstance(left, paddle.Tensor)
                assert (left.dtype, left.shape) == (right.dtype, right.shape), fixture.identity
                assert left.stop_gradient
            found = index.difference(
                [np.asarray(leaf) for leaf in leaves(actual)], fixture.outputs(number)
            )
            assert found <= fixture.tolerance, (fixture.identity, found)
            for tensor, array in zip(given, arrays):
                assert np.array_equal(tensor.numpy(), array, equal_nan=array.dtype.kind == "f")
        assert served.close(10)


def check_inputs_in_every_form():
    path, layer = saved()
    served = compatload.safe_load(path, inference_only=True)
    a, b = numbers(4, 8), numbers(4, 8, seed=1)
    expected = [leaf.numpy() for leaf in layer(paddle.to_tensor(a), paddle.to_tensor(b))]

    def same(outputs):
        assert all(np.allclose(x.numpy(), y, atol=1e-5) for x, y in zip(outputs, expected))

    t, u = paddle.to_tensor(a), paddle.to_tensor(b)
    same(served(t, u))
    same(served(a, u))
    same(served(t, y=u))
    same(served(y=u, x=t))
    same(served.forward(t, u))
    same(served(paddle.to_tensor(a.T.copy()).transpose([1, 0]), u))  # a view with strides
    same(served(a.T.copy().T, u))
    assert served.input_names == ("x", "y")
    assert "takes 2 inputs" in raised(compatload.UsageError, lambda: served(t))
    assert "takes 2 inputs" in raised(compatload.UsageError, lambda: served(t, u, t))
    assert "takes 2 inputs" in raised(compatload.UsageError, lambda: served(t, x=t))
    assert "and z" in raised(compatload.UsageError, lambda: served(t, u, z=t))
    assert "float64" in raised(compatload.UsageError, lambda: served(a.astype("float64"), u))
    assert "is a list" in raised(compatload.UsageError, lambda: served([1.0], u))
    same(served(t, u))  # and it goes on


def check_outputs_are_ones_own():
    path, _ = saved()
    served = compatload.safe_load(path, inference_only=True)
    a, b = numbers(4, 8), numbers(4, 8, seed=1)
    first = served(a, b)
    before = [leaf.numpy().copy() for leaf in first]
    served(b, a)
    assert all(np.array_equal(x.numpy(), y) for x, y in zip(first, before))
    del served
    gc.collect()
    assert all(np.array_equal(x.numpy(), y) for x, y in zip(first, before))


def check_many_threads():
    """Other threads than the one that loaded it, more of them than predictors, changing sizes."""

    class Convolutions(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.first = paddle.nn.Conv2D(3, 8, 3, padding=1)
            self.second = paddle.nn.Conv2DTranspose(8, 4, 2, stride=2)

        def forward(self, x):
            return self.second(paddle.nn.functional.relu(self.first(x)))

    path, layer = saved(Convolutions(), [(None, 3, None, None)], ["x"])
    inputs = [numbers(1 + n % 2, 3, 16 + 8 * (n % 3), 16, seed=n) for n in range(6)]
    expected = [layer(paddle.to_tensor(array)).numpy() for array in inputs]
    served = compatload.safe_load(path, inference_only=True, pool_size=3, threads=1)
    served(inputs[0])
    wrong, done = [], []

    def call(start):
        for turn in range(30):
            number = (start + turn) % len(inputs)
            try:
                actual = served(paddle.to_tensor(inputs[number])).numpy()
                if not np.allclose(actual, expected[number], atol=1e-4):
                    wrong.append(number)
            except Exception as error:
                wrong.append(repr(error))
        done.append(start)

    callers = [threading.Thread(target=call, args=(n,)) for n in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(120)
    assert len(done) == 6
    assert not wrong, wrong[:3]


def check_back_pressure():
    path, _ = saved()
    served = compatload.safe_load(path, inference_only=True, acquire_timeout=0.2)
    go_on, inside = threading.Event(), threading.Event()

    def occupy(_):
        inside.set()
        go_on.wait(30)

    holding = threading.Thread(target=lambda: served._pool.run(occupy, None))
    holding.start()
    assert inside.wait(30)
    a = numbers(4, 8)
    started = time.monotonic()
    said = raised(compatload.PoolBusyError, lambda: served(a, a))
    assert "0.2 seconds (1 in all)" in said
    assert time.monotonic() - started < 20
    go_on.set()
    holding.join()
    assert len(served(a, a)) == 2


def check_closing():
    path, _ = saved()
    a = numbers(4, 8)
    with compatload.safe_load(path, inference_only=True, pool_size=2) as served:
        assert len(served(a, a)) == 2
        assert served.pool_size == 2
    assert served.closed
    assert "is closed" in raised(compatload.PoolClosedError, lambda: served(a, a))
    assert served.close()


def check_only_inference():
    path, _ = saved()
    served = compatload.safe_load(path, inference_only=True)
    assert served.eval() is served
    assert served.training is False
    for name in ("train", "parameters", "state_dict", "named_parameters", "set_state_dict"):
        assert "inference_only" in raised(compatload.UsageError, getattr(served, name))
    assert not hasattr(served, "no_such_method")
    said = raised(compatload.UsageError, lambda: compatload.safe_load(path, pool_size=2))
    assert "pool_size" in said
    raised(
        compatload.UsageError,
        lambda: compatload.safe_load(path, inference_only=True, device="cpu", tensorrt="fp16"),
    )
    raised(compatload.UsageError, lambda: compatload.safe_load(path, inference_only=True, pool=2))


def check_globals_stay():
    path, _ = saved()
    flags = ["FLAGS_enable_pir_api"] if hasattr(paddle, "pir_utils") else []
    for static in (False, True):
        (paddle.enable_static if static else paddle.disable_static)()
        try:
            before = (
                paddle.in_dynamic_mode(),
                paddle.device.get_device(),
                dict(os.environ),
                paddle.get_flags(flags) if flags else None,
                paddle.get_default_dtype(),
            )
            served = compatload.safe_load(path, inference_only=True)
            if not static:
                a = numbers(4, 8)
                assert len(served(a, a)) == 2
            raised(
                compatload.ArtifactNotFoundError,
                lambda: compatload.safe_load(path + "-none", inference_only=True),
            )
            after = (
                paddle.in_dynamic_mode(),
                paddle.device.get_device(),
                dict(os.environ),
                paddle.get_flags(flags) if flags else None,
                paddle.get_default_dtype(),
            )
            assert before == after, (before, after)
        finally:
            paddle.disable_static()


def check_static_mode_is_refused():
    path, _ = saved()
    a = numbers(4, 8)
    served = compatload.safe_load(path, inference_only=True)
    paddle.enable_static()
    try:
        said = raised(compatload.UsageError, lambda: served(a, a))
    finally:
        paddle.disable_static()
    assert "static mode" in said
    assert len(served(a, a)) == 2


class Counted(paddle.nn.Layer):
    """As many rows as a run counts, perhaps none: oneDNN's kernels of 3.x refuse that, and no rule
    sees it (of what a mask picks CL630 would)."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(8, 4)

    def forward(self, x):
        count = (x[:, 0] > 0).astype("int64").sum()
        counted = paddle.gather(x, paddle.arange(count))
        rows = paddle.reshape(self.linear(counted), [-1, 2, 2])
        return paddle.nn.functional.softmax(paddle.transpose(rows, [0, 2, 1]))


def listening(act):
    """What is logged meanwhile about calls that oneDNN refuses."""
    told = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: told.append(record.getMessage())
    logging.getLogger("compatload").addHandler(handler)
    try:
        act()
    finally:
        logging.getLogger("compatload").removeHandler(handler)
    return [one for one in told if "oneDNN cannot compute" in one]


def check_what_onednn_refuses_is_computed_without():
    path, layer = saved(Counted(), shapes=((None, 8),), names=("x",))
    some, none = abs(numbers(5, 8)), -abs(numbers(5, 8))
    expected = layer(paddle.to_tensor(some)).numpy()
    served = compatload.safe_load(path, inference_only=True, pool_size=2)

    def calls():
        for _ in range(10):
            assert served(none).shape == [0, 2, 2]
            assert np.allclose(served(some).numpy(), expected, atol=1e-5)

    def from_threads():
        with ThreadPoolExecutor(4) as threads:
            for done in [threads.submit(calls) for _ in range(4)]:
                done.result()

    refused = not paddle.__version__.startswith("2.")
    assert len(listening(from_threads)) == int(refused)
    assert served.close()


class Sliced(paddle.nn.Layer):
    """Slices of oneDNN's end the process with SIGFPE where they are given nothing."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(8, 4)

    def forward(self, x):
        return self.linear(x)[:, 1:3] * 2.0


def check_a_batch_of_nothing():
    path, layer = saved(Sliced(), shapes=((None, 8),), names=("x",))
    served = compatload.safe_load(path, inference_only=True)
    assert served(numbers(0, 8)).shape == [0, 2]
    expected = layer(paddle.to_tensor(numbers(5, 8))).numpy()
    assert np.allclose(served(numbers(5, 8)).numpy(), expected, atol=1e-5)
    assert served(numbers(0, 8)).shape == [0, 2]


class Attending(paddle.nn.Layer):
    """Without oneDNN, products of nothing end the process with SIGSEGV (2.6.2)."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(6, 6)

    def forward(self, x):
        found = self.linear(x[x[:, 0, 0] > 9.0])
        return paddle.bmm(found, paddle.transpose(found, [0, 2, 1]))


def check_a_call_that_finds_nothing_to_multiply():
    path, layer = saved(Attending(), shapes=((None, 5, 6),), names=("x",))
    served = compatload.safe_load(path, inference_only=True)
    nothing, something = numbers(3, 5, 6), numbers(3, 5, 6)
    something[1, 0, 0] = 10.0
    if paddle.__version__.startswith("2."):
        assert "could not " in raised(RuntimeError, lambda: served(nothing))
    else:
        assert served(nothing).shape == [0, 5, 5]
    expected = layer(paddle.to_tensor(something)).numpy()
    assert np.allclose(served(something).numpy(), expected, atol=1e-4)


class Recurrent(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = paddle.nn.LSTM(6, 4)

    def forward(self, x):
        return self.lstm(x)[0]


def check_a_sequence_without_steps_is_refused():
    path, layer = saved(Recurrent(), shapes=((None, None, 6),), names=("x",))
    served = compatload.safe_load(path, inference_only=True)
    said = raised(compatload.UsageError, lambda: served(numbers(2, 0, 6)))
    assert "Paddle would kill the process" in said
    assert served(numbers(0, 5, 6)).shape == [0, 5, 4]
    expected = layer(paddle.to_tensor(numbers(2, 5, 6))).numpy()
    assert np.allclose(served(numbers(2, 5, 6)).numpy(), expected, atol=1e-5)


class Enlarged(paddle.nn.Layer):
    """What oneDNN makes ready in the first call is nothing where that finds nothing."""

    def __init__(self):
        super().__init__()
        self.transposed = paddle.nn.Conv2DTranspose(6, 4, 2, 2, bias_attr=False)

    def forward(self, x):
        return self.transposed(x[x[:, 0, 0, 0] > 9.0])


def check_a_transposed_convolution_that_finds_nothing_at_first():
    path, layer = saved(Enlarged(), shapes=((None, 6, 8, 8),), names=("x",))
    served = compatload.safe_load(path, inference_only=True)
    nothing, something = numbers(4, 6, 8, 8), numbers(4, 6, 8, 8)
    something[1, 0, 0, 0] = 10.0
    assert served(nothing).shape == [0, 4, 16, 16]
    expected = layer(paddle.to_tensor(something)).numpy()
    assert np.allclose(served(something).numpy(), expected, atol=1e-5)


class Choosing(paddle.nn.Layer):
    """Fills a list, and asks oneDNN in between for what it refuses in the first call (3.3.1)."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(1, 1)

    def forward(self, x):
        chosen, total = [], 0
        for _ in range(x.shape[1]):
            likely = paddle.nn.functional.log_softmax(x, -1)
            chosen.append(likely.argmax(-1))
            total += likely.max(-1)
        return paddle.stack(chosen, 1), total


def check_a_call_that_failed_leaves_nothing_in_lists():
    if paddle.__version__.startswith("2."):
        return  # which refuses a sum that begins as a whole number, and none of these calls
    path, layer = saved(Choosing(), shapes=((None, None),), names=("x",))
    served = compatload.safe_load(path, inference_only=True)
    for shape in ((2, 4), (2, 1), (2, 7), (1, 1), (2, 4)):
        expected = layer(paddle.to_tensor(numbers(*shape)))
        for one, other in zip(served(numbers(*shape)), expected):
            assert one.shape == other.shape, (shape, one.shape)
            assert np.allclose(one.numpy(), other.numpy(), atol=1e-5)


def check_what_onednn_refuses_is_an_error_where_the_model_is_another():
    path, _ = saved(Counted(), shapes=((None, 8),), names=("x",))
    served = compatload.safe_load(path, inference_only=True)
    weights = Path(path + ".pdiparams")
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    if paddle.__version__.startswith("2."):
        assert served(-abs(numbers(5, 8))).shape == [0, 2, 2]
    else:
        error = caught(RuntimeError, lambda: served(-abs(numbers(5, 8))))
        assert "no longer the model" in str(error.__cause__), error.__cause__
    assert served(abs(numbers(5, 8))).shape == [5, 2, 2]


def check_errors_of_the_model_itself_stay():
    """Nothing is made anew for them."""
    path, _ = saved()
    served = compatload.safe_load(path, inference_only=True)

    def mistaken():
        caught((ValueError, RuntimeError), lambda: served(numbers(4, 8), numbers(4, 3)))

    assert listening(mistaken) == []


def main():
    warnings.simplefilter("ignore")
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            try:
                check()
                print("ok", name, flush=True)
            except BaseException:
                traceback.print_exc()
                print("failed", name, flush=True)


if __name__ == "__main__":
    main()
