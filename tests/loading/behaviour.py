"""Runs inside a real Paddle: what the drop-ins must leave as it was, and what layers must do.

    python behaviour.py CHECK

Prints ``ok`` or a traceback. One process a check; some set flags before paddle is imported.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
import numpy as np  # noqa: E402

LEGACY = index.fixture("2.6.2/classifier")
PIR = index.fixture("3.0.0/classifier")
METHODS = index.fixture("2.6.2/two_methods")


def expect_outputs(layer, fixture):
    import paddle

    layer.eval()
    for number in fixture.sets:
        inputs = [paddle.to_tensor(value) for value in fixture.inputs(number).values()]
        outputs = layer(*inputs)
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        difference = index.difference([o.numpy() for o in outputs], fixture.outputs(number))
        assert difference <= fixture.tolerance, difference


def state():
    import paddle

    flags = ["FLAGS_enable_pir_api", "FLAGS_enable_pir_in_executor"]
    try:
        known = paddle.get_flags(flags)
    except ValueError:  # 2.6 does not know the first one
        known = {}
    return {
        "flags": known,
        "dynamic": paddle.in_dynamic_mode(),
        "device": paddle.device.get_device(),
        "environment": dict(os.environ),
        "main": id(paddle.static.default_main_program()),
        "startup": id(paddle.static.default_startup_program()),
        "program": paddle.static.Program,
        "float32": id(paddle.float32),
    }


def check_paddle_not_imported():
    from compatload import safe_load

    assert "paddle" not in sys.modules
    expect_outputs(safe_load(LEGACY.path), LEGACY)
    expect_outputs(safe_load(PIR.path), PIR)


def check_predictor_numbers():
    """What every release's own predictor gets wrong, most of it in silence (CL216 to CL232)."""
    import paddle

    from compatload import load_report, safe_create_predictor

    class Net(paddle.nn.Layer):
        def __init__(self, forward):
            super().__init__()
            self.convolution = paddle.nn.Conv2D(3, 4, 1)
            self.linear = paddle.nn.Linear(6, 6)
            self.norm = paddle.nn.BatchNorm2D(3)
            self.compute = forward

        def forward(self, image):
            return self.compute(self, image)

    def square(net, image):
        return paddle.matmul(net.convolution(image), net.convolution(image))

    def square_of_exp(net, image):
        power = paddle.exp(net.convolution(image))
        return paddle.matmul(power, power)

    def twice(net, image):
        return net.linear(image) * 2.0

    def twice_relu(net, image):
        return paddle.nn.functional.relu(net.linear(image)) * 2.0 + 0.5

    def inverse(net, image):
        return paddle.ones([1]) / (paddle.abs(net.convolution(image)) + 1.0)

    def weight_read_twice(net, image):
        return paddle.matmul(image, net.linear.weight) * 2.0 + net.linear.weight

    def product_read_twice(net, image):
        product = paddle.matmul(image, net.linear.weight)
        return product * 2.0 + paddle.exp(product)

    def norm_read_twice(net, image):
        normal = net.norm(image)
        return paddle.nn.functional.relu(normal) + normal

    def without_dimensions(net, image):
        return net.convolution(image) + paddle.ones([])

    functional = paddle.nn.functional

    def two_activations(net, image):
        return functional.relu(functional.gelu(functional.conv2d(image, net.convolution.weight)))

    def without_elements(net, image):
        return paddle.concat([image[:, 0:0], net.convolution(image)], axis=1)

    def padded_with_channels_last(net, image):
        return functional.pad(net.linear(image), [1, 1, 2, 0], data_format="NHWC") * 2.0

    def one_place(net, image):
        return functional.interpolate(net.linear(image)[:, :, :1, :1], scale_factor=2)

    def plus_row(net, image):
        weight = net.convolution.weight
        return functional.conv2d(image, paddle.concat([weight, weight])[:6]) + net.linear.bias

    def plus_number(net, image):
        return functional.conv2d(image, net.convolution.weight) + net.linear.bias[:1]

    def turned_and_joined(net, image):
        rows = net.convolution(image).flatten(2).transpose([0, 2, 1]).reshape([-1, 36, 2, 2])
        return paddle.concat([functional.relu(rows), rows], axis=1)

    def read_again(net, image):
        product = paddle.matmul(image, net.linear.weight)
        return paddle.cos(product) + product

    def by_its_norm(net, image):
        product = paddle.matmul(image, net.linear.weight)
        return product * paddle.rsqrt(paddle.square(product).mean(-1, keepdim=True)) + product

    def square_of_sum(net, image):
        rows = paddle.sum(net.convolution(image), -1, keepdim=True)
        return paddle.matmul(rows, rows, transpose_y=True)

    image = np.random.RandomState(0).rand(2, 3, 6, 6).astype("float32")
    others = (norm_read_twice, without_dimensions, inverse, two_activations, plus_row)
    overwritten = (read_again, by_its_norm)
    refused = (
        without_elements,
        padded_with_channels_last,
        one_place,
        plus_number,
        turned_and_joined,
    )
    products = (square, square_of_exp, square_of_sum, weight_read_twice, product_read_twice)
    paddle.seed(7)  # of some weights relu leaves nothing, by which nothing can be divided
    for forward in (*products, twice, twice_relu, *others, *overwritten, *refused):
        net = Net(forward)
        net.eval()
        with tempfile.TemporaryDirectory() as folder:
            spec = [paddle.static.InputSpec([None, 3, 6, 6], "float32", "image")]
            paddle.jit.save(net, f"{folder}/model", input_spec=spec)
            predictor = safe_create_predictor(f"{folder}/model")
            predictor.get_input_handle("image").copy_from_cpu(image)
            predictor.run()
            (name,) = predictor.get_output_names()
            output = predictor.get_output_handle(name).copy_to_cpu()
        expected = net(paddle.to_tensor(image)).numpy()
        difference = np.abs(output - expected).max() / np.abs(expected).max()
        assert difference < 1e-5, (forward.__name__, difference, load_report(predictor).rules)


def check_text_form():
    from google.protobuf import text_format

    from compatload import safe_create_predictor, safe_load
    from compatload.artifact.program_desc import parse

    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "model.pbtxt")
        description = parse(Path(f"{LEGACY.path}.pdmodel").read_bytes())
        program.write_text(text_format.MessageToString(description), encoding="utf-8")
        Path(folder, "model.pdiparams").symlink_to(f"{LEGACY.path}.pdiparams")
        expect_outputs(safe_load(program), LEGACY)
        assert safe_create_predictor(program).get_input_names() == list(LEGACY.inputs(0))


def check_paddle_imported_before():
    import paddle  # noqa: F401

    check_loads_both()


def check_loads_both():
    from compatload import safe_load

    expect_outputs(safe_load(LEGACY.path), LEGACY)
    expect_outputs(safe_load(PIR.path), PIR)


def check_flag_off():
    os.environ["FLAGS_enable_pir_api"] = "0"
    from compatload import safe_load

    check_loads_both()
    # 1.x left attributes out, which a layer of 3.x looks up when it is called.
    for first in index.fixtures(saved_by=["2.6.2"]):
        if first.name.startswith("v1_") or first.name == "directory_loose":
            expect_outputs(safe_load(first.path), first)


def check_flag_on():
    os.environ["FLAGS_enable_pir_api"] = "1"
    from compatload import IncompatibleError, detect_runtime, safe_create_predictor, safe_load

    if detect_runtime().paddle.version.startswith("3"):
        check_loads_both()
        return
    try:
        safe_load(LEGACY.path)
    except IncompatibleError as error:
        assert error.rule == "CL506", error
    else:
        raise AssertionError("2.6 loads nothing with this flag")
    expect_predictor(safe_create_predictor(LEGACY.path), LEGACY)


def check_static_mode():
    import paddle

    from compatload import safe_load

    paddle.enable_static()
    layer = safe_load(LEGACY.path)
    assert not paddle.in_dynamic_mode()
    paddle.disable_static()
    expect_outputs(layer, LEGACY)


def check_globals_restored():
    import paddle

    from compatload import safe_create_predictor, safe_load, safe_load_inference_model

    before = state()
    for fixture in (LEGACY, PIR, METHODS):
        safe_load(fixture.path)
        safe_create_predictor(fixture.path)
        safe_load_inference_model(str(fixture.path), paddle.static.Executor(paddle.CPUPlace()))
    assert state() == before


def check_globals_restored_after_errors():
    import paddle  # noqa: F401

    from compatload import CompatLoadError, safe_load

    before = state()
    with tempfile.TemporaryDirectory() as directory:
        for name in ("model.pdmodel", "model.pdiparams"):
            data = (LEGACY.folder / name).read_bytes()
            Path(directory, name).write_bytes(data[: len(data) // 2])
        try:
            safe_load(Path(directory, "model"))
        except CompatLoadError:
            pass
        else:
            raise AssertionError("half a model was loaded")
    assert state() == before


def check_training():
    import paddle

    from compatload import safe_load

    for fixture in (LEGACY, PIR):
        layer = safe_load(fixture.path)
        layer.train()
        optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        image = paddle.to_tensor(fixture.inputs(1)["image"])
        label = paddle.to_tensor(np.zeros([image.shape[0], 1], "int64"))
        losses = []
        for _ in range(5):
            output = layer(image)
            output.stop_gradient = False
            loss = paddle.nn.functional.cross_entropy(output, label)
            loss.backward()
            assert any(p.grad is not None for p in layer.parameters())
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
        assert losses[-1] < losses[0], losses


def check_state_dict():
    from compatload import safe_load

    layer = safe_load(LEGACY.path)
    shapes = sorted(tuple(value.shape) for value in layer.state_dict().values())
    from compatload import inspect_artifact

    assert shapes == sorted(p.shape for p in inspect_artifact(LEGACY.path).parameters)
    assert list(layer.parameters())


def check_methods():
    import paddle

    from compatload import safe_load

    layer = safe_load(METHODS.path)
    layer.eval()
    for number in METHODS.sets:
        inputs = [paddle.to_tensor(v) for v in METHODS.inputs(number, "project").values()]
        outputs = [output.numpy() for output in layer.project(*inputs)]
        assert index.agrees(outputs, METHODS.outputs(number, "project"))


def check_ready_config():
    import paddle.inference as inference

    from compatload import safe_create_predictor

    fixture = LEGACY
    config = inference.Config(f"{fixture.path}.pdmodel", f"{fixture.path}.pdiparams")
    config.set_cpu_math_library_num_threads(2)
    summary = config.summary()
    expect_predictor(safe_create_predictor(config), fixture)
    assert config.summary() == summary


def check_config_without_onednn():
    """Nothing is converted for the sake of oneDNN where the caller switched it off."""
    from paddle import inference

    from compatload import detect_runtime, load_report, safe_create_predictor

    detector = index.fixture("3.3.1/detector" if detect_runtime().ir_mode.pir else "2.6.2/detector")
    suffix = ".json" if detector.format == "pir" else ".pdmodel"
    for change in ("disable_mkldnn", "switch_ir_optim", None):
        config = inference.Config(f"{detector.path}{suffix}", f"{detector.path}.pdiparams")
        if change == "disable_mkldnn":
            config.disable_mkldnn()
        elif change == "switch_ir_optim":
            config.switch_ir_optim(False)
        predictor = safe_create_predictor(config)
        expect_predictor(predictor, detector)
        step = load_report(predictor).step
        if change is not None and detect_runtime().paddle.version.startswith("3.3"):
            assert step.strategy.value == "native", step


def check_memory_buffers():
    import paddle.inference as inference

    from compatload import safe_create_predictor

    suffix = {"legacy": ".pdmodel", "pir": ".json"}
    for fixture in (LEGACY, PIR):
        program = Path(f"{fixture.path}{suffix[fixture.format]}").read_bytes()
        weights = Path(f"{fixture.path}.pdiparams").read_bytes()
        config = inference.Config()
        config.set_model_buffer(program, len(program), weights, len(weights))
        expect_predictor(safe_create_predictor(config), fixture)


def expect_predictor(predictor, fixture):
    for number in fixture.sets:
        for name, value in fixture.inputs(number).items():
            predictor.get_input_handle(name).copy_from_cpu(value)
        predictor.run()
        outputs = [
            predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()
        ]
        assert index.agrees(outputs, fixture.outputs(number))


def check_crafted_pickle():
    import pickle

    import paddle

    from compatload import UnsafeArtifactError, safe_load, safe_load_inference_model

    class Command:
        def __reduce__(self):
            return os.system, (f"touch {marker}",)

    with tempfile.TemporaryDirectory() as directory:
        marker = Path(directory, "ran")
        for name in ("model.pdmodel", "model.pdiparams"):
            Path(directory, name).write_bytes((LEGACY.folder / name).read_bytes())
        Path(directory, "model.pdiparams.info").write_bytes(pickle.dumps(Command(), 2))
        prefix = str(Path(directory, "model"))
        executor = paddle.static.Executor(paddle.CPUPlace())
        for load in (
            lambda: safe_load(prefix),
            lambda: safe_load_inference_model(prefix, executor),
        ):
            try:
                load()
            except UnsafeArtifactError as error:
                assert "system" in str(error), error
            else:
                raise AssertionError("a pickle that runs a command was accepted")
        assert not marker.exists()


def check_threads():
    """Loads in one thread while others serve: every answer stays right."""
    import paddle

    from compatload import safe_load

    serving = safe_load(PIR.path)
    serving.eval()
    image, expected = paddle.to_tensor(PIR.inputs(0)["image"]), PIR.outputs(0)
    stop, wrong = threading.Event(), []

    def serve(serving):
        serving.eval()
        while not stop.is_set():
            if not index.agrees([serving(image).numpy()], expected):
                wrong.append(1)

    layers = [safe_load(PIR.path) for _ in range(2)]
    threads = [threading.Thread(target=serve, args=[layer]) for layer in layers]
    for thread in threads:
        thread.start()
    for _ in range(5):
        expect_outputs(safe_load(LEGACY.path), LEGACY)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def check_inputs_stay():
    """In 2.6 a loop that begins with an input writes over the Tensor that its caller passed."""
    import paddle

    from compatload import safe_load

    class Halving(paddle.nn.Layer):
        def forward(self, x):
            state, count = x, paddle.zeros([1], "int64")
            while count < 3:
                state, count = state * 0.5 + 1.0, count + 1
            return state

    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(Halving(), f"{folder}/model", input_spec=spec)
        layer = safe_load(f"{folder}/model")
        given = paddle.arange(8, dtype="float32").reshape([2, 4])
        before = given.numpy()
        assert np.allclose(layer(given).numpy(), before / 8 + 1.75)
        assert (given.numpy() == before).all()


def check_device():
    from compatload import DeviceUnavailableError, load_report, safe_create_predictor, safe_load

    layer = safe_load(LEGACY.path, device="auto")
    assert load_report(layer).plan.device == "cpu"
    expect_predictor(safe_create_predictor(LEGACY.path, device="cpu", threads=1), LEGACY)
    for device in ("gpu:0", "xpu", "npu:1"):
        try:
            safe_load(LEGACY.path, device=device)
        except DeviceUnavailableError:
            continue
        raise AssertionError(f"{device} is not here and was accepted")


def check_random_numbers_are_drawn_anew():
    import paddle

    from compatload import safe_create_predictor, safe_load

    class Drawing(paddle.nn.Layer):
        def forward(self, x):
            chances = paddle.bernoulli(paddle.full([2, 40], 0.5))
            return x + paddle.rand([2, 40]) * 0.5, x + chances

    values = np.ones((2, 40), "float32")
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "model"))
        spec = [paddle.static.InputSpec([2, 40], "float32", "x")]
        paddle.jit.save(Drawing(), prefix, input_spec=spec)
        layer = safe_load(prefix, inference_only=True, preflight=True)
        predictor = safe_create_predictor(prefix)
        drawn = [[np.asarray(one) for one in layer(values)] for _ in range(3)]
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(values)
        names = predictor.get_output_names()
        for _ in range(3):
            predictor.run()
            drawn.append([predictor.get_output_handle(name).copy_to_cpu() for name in names])
    for each in zip(*drawn):
        for one, other in zip(each, each[1:]):
            assert (one != other).any()


def check_layers_made_afterwards_have_names_of_their_own():
    import paddle

    from compatload import safe_load_inference_model

    before = paddle.nn.Linear(4, 4)
    safe_load_inference_model(str(LEGACY.path), paddle.static.Executor(paddle.CPUPlace()))
    assert paddle.nn.Linear(4, 4).weight.name != before.weight.name


if __name__ == "__main__":
    globals()[f"check_{sys.argv[1]}"]()
    print("ok")
