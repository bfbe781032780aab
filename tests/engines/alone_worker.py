"""Runs where an engine is and Paddle is not: prints ``ok NAME`` for each function ``check_…``.

python alone_worker.py FOLDER ENGINE
"""

from __future__ import annotations

import math
import os
import re
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402
from engines.checks import carry_out  # noqa: E402
from fixtures.index import difference, fixture, fixtures  # noqa: E402

from compatload import ModelHandle, load_report, safe_load  # noqa: E402
from compatload.artifact.inspection import inspect_artifact  # noqa: E402
from compatload.artifact.program_proto import message  # noqa: E402
from compatload.engines.known import ENGINES  # noqa: E402
from compatload.engines.program import engine_program  # noqa: E402
from compatload.errors import (  # noqa: E402
    IncompatibleError,
    PaddleNotFoundError,
    UnsafeArtifactError,
    UnsupportedOperatorError,
    UsageError,
)
from compatload.loading.request import layer_request  # noqa: E402
from compatload.programs.legacy_repairs.program import new_operator  # noqa: E402
from compatload.serving.engine import EngineCandidate  # noqa: E402
from compatload.serving.engine_requests import compiled  # noqa: E402
from compatload.serving.options import InferenceOptions  # noqa: E402

FOLDER, ENGINE = Path(sys.argv[1]), ENGINES[sys.argv[2]]
TYPES = {"bool": 0, "int32": 2, "int64": 3, "float32": 5}
# Of the 118 fixtures; the others are refused.
RIGHT = {"openvino": 113, "onnxruntime": 100}[ENGINE.name]
RANDOM = np.random.default_rng(3)


def by_engine(operators, inputs, *more, **told):
    """What the engine makes of operators from the inputs ``x``, ``y`` … to ``out``."""
    return made_by_engine(operators, inputs, *more, **told).run(inputs)[0]


def made_by_engine(operators, inputs, free=False, dtype="float32", rank=None, threads=1):
    program = message("ProgramDesc")
    program.version.version = 2006002
    block = program.blocks.add(idx=0, parent_idx=-1)
    for name, kind in (("feed", 9), ("fetch", 10)):
        block.vars.add(name=name, persistable=True).type.type = kind
    shapes = {n: [-1] * v.ndim if free else v.shape for n, v in inputs.items()}
    types = {name: value.dtype.name for name, value in inputs.items()}
    first = next(iter(inputs.values()))
    shapes["out"], types["out"] = [-1] * (first.ndim if rank is None else rank), dtype
    for name in (n for one in operators for slot in one.outputs for n in slot.arguments):
        shapes.setdefault(name, [-1] * first.ndim)
        types.setdefault(name, "float32")
    for name, shape in shapes.items():
        one = block.vars.add(name=name, persistable=False)
        one.type.type = 7
        one.type.dense_tensor.tensor.data_type = TYPES[types[name]]
        one.type.dense_tensor.tensor.dims.extend(shape)
    for column, name in enumerate(inputs):
        told = {"col": ("INT", column)}
        block.ops.append(new_operator("feed", {"X": ["feed"]}, {"Out": [name]}, told))
    block.ops.extend(operators)
    column = {"col": ("INT", 0)}
    block.ops.append(new_operator("fetch", {"X": ["out"]}, {"Out": ["fetch"]}, column))
    path = FOLDER / "made.pdmodel"
    path.write_bytes(program.SerializeToString())
    artifact = inspect_artifact(path)
    program = engine_program(artifact, ENGINE, ENGINE.require_installed())
    (request,) = compiled(artifact, program, ENGINE, threads, 1)
    return request


def operator(kind, told=None, slots=("X",), result="Out"):
    named = {slot: [name] for slot, name in zip(slots, "xyz")}
    return [new_operator(kind, named, {result: ["out"]}, told or {})]


def agrees(found, expected, allowed=2e-6):
    expected = np.asarray(expected)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert found.dtype.kind == expected.dtype.kind, (found.dtype, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=allowed, atol=allowed)


def check_functions_of_one_number():
    """Small, large and negative ones: what is rewritten must not lose digits."""
    x = np.array([-30, -3, -0.9, -1e-3, -1e-6, 0, 1e-6, 1e-3, 0.4, 0.9, 3, 30], "float32")
    wide, inside = x.astype("float64"), x[2:10]
    scalar = np.vectorize
    forms = {
        "erf": scalar(math.erf),
        "expm1": np.expm1,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tan": np.tan,
        "atan": np.arctan,
        "softsign": lambda v: v / (1 + abs(v)),
        "sign": np.sign,
        "trunc": np.trunc,
        "square": np.square,
        "mish": lambda v: v * np.tanh(np.logaddexp(0, v)),
        "logsigmoid": lambda v: -np.logaddexp(0, -v),
        "asinh": np.arcsinh,
    }
    for kind, right in forms.items():
        found = by_engine(operator(kind), {"x": x}, free=True)
        near = {"atol": 3e-7} if kind == "erf" else {"rtol": 2e-5, "atol": 1e-9}
        np.testing.assert_allclose(found, right(wide), **near, err_msg=kind)
    wide = inside.astype("float64")
    for kind, right in (("log1p", np.log1p), ("atanh", np.arctanh), ("asin", np.arcsin)):
        found = by_engine(operator(kind), {"x": inside}, free=True)
        np.testing.assert_allclose(found, right(wide), rtol=2e-5, atol=1e-9, err_msg=kind)


def check_softplus_with_a_threshold():
    x = np.linspace(-3, 3, 13, dtype="float32")
    for beta, threshold in ((1.0, 1.0), (2.0, 20.0), (2.0, 3.0)):
        told = {"beta": ("FLOAT", beta), "threshold": ("FLOAT", threshold)}
        right = np.where(x * beta > threshold, x, np.logaddexp(0, beta * x) / beta)
        agrees(by_engine(operator("softplus", told), {"x": x}, free=True), right)


def check_numbers_that_are_none():
    x = np.array([np.nan, np.inf, -np.inf, 0, 1], "float32")
    for kind, right in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)):
        agrees(by_engine(operator(f"{kind}_v2"), {"x": x}, True, "bool"), right(x))
    found = by_engine(
        operator("greater_than", slots="XY"), {"x": x, "y": np.full_like(x, 0.5)}, True, "bool"
    )
    agrees(found.astype(bool), x > 0.5)


def check_a_mask_of_fewer_axes():
    """OpenVINO 2026.4.1 takes all of Y."""
    x, mask = RANDOM.random((2, 3, 4), "float32"), np.array([True, False, True, False])
    inputs = {"m": mask, "x": x, "y": x - 9}
    where = new_operator(
        "where", {"Condition": ["m"], "X": ["x"], "Y": ["y"]}, {"Out": ["out"]}, {}
    )
    agrees(by_engine([where], inputs, free=True, rank=3), np.where(mask, x, x - 9))


def check_places():
    x = RANDOM.random((2, 4, 6), "float32")
    told = {"axes": ("INTS", [1, 2]), "starts": ("INTS", [3, 2147483647])}
    told |= {"ends": ("INTS", [0, -1]), "strides": ("INTS", [-2, -1])}
    agrees(by_engine(operator("strided_slice", told, ["Input"]), {"x": x}), x[:, 3:0:-2, ::-1])
    told = {"axis1": ("INT", 1), "axis2": ("INT", 2), "offset": ("INT", 1)}
    found = by_engine(operator("diagonal", told, ["Input"]), {"x": x}, rank=2)
    agrees(found, np.diagonal(x, 1, 1, 2))
    told = {"lower": ("BOOLEAN", True), "diagonal": ("INT", -1)}
    agrees(by_engine(operator("tril_triu", told), {"x": x}), np.tril(x, -1))
    told = {"paddings": ("INTS", [0, 0, 1, 2, 0, 1]), "pad_value": ("FLOAT", 0.5)}
    padded = np.pad(x, ((0, 0), (1, 2), (0, 1)), constant_values=0.5)
    agrees(by_engine(operator("pad", told), {"x": x}), padded)
    told = {"axis": ("INT", -1), "descending": ("BOOLEAN", True)}
    ordered = -np.sort(-x, -1)
    agrees(by_engine(operator("argsort", told), {"x": x}, free=True), ordered)


def check_free_sizes():
    x = RANDOM.random((2, 8, 3, 5), "float32")
    told = {"upscale_factor": ("INT", 2), "data_format": ("STRING", "NCHW")}
    turned = x.reshape(2, 2, 2, 2, 3, 5).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 6, 10)
    agrees(by_engine(operator("pixel_shuffle", told), {"x": x}, free=True), turned)
    a, b = RANDOM.random((2, 3, 4, 5), "float32"), RANDOM.random((2, 6, 3, 5), "float32")
    equation = {"equation": ("STRING", "nihd,njid->nihj")}
    product = [
        new_operator("einsum", {"Operands": ["x", "y"]}, {"Out": ["out"]}, equation),
    ]
    found = by_engine(product, {"x": a, "y": b}, free=True)
    agrees(found, np.einsum("nihd,njid->nihj", a, b), 1e-5)


def check_instance_norm():
    x = RANDOM.random((2, 3, 4, 5), "float32")
    scale, bias = (RANDOM.random(3, "float32") for _ in range(2))
    named = {"X": ["x"], "Scale": ["y"], "Bias": ["z"]}
    told = {"epsilon": ("FLOAT", 1e-5)}
    norm = [new_operator("instance_norm", named, {"Y": ["out"]}, told)]
    mean, variance = (f(x, axis=(2, 3), keepdims=True) for f in (np.mean, np.var))
    expected = (x - mean) / np.sqrt(variance + 1e-5)
    expected = expected * scale[:, None, None] + bias[:, None, None]
    agrees(by_engine(norm, {"x": x, "y": scale, "z": bias}, free=True), expected, 1e-5)


def check_every_fixture():
    """Of all releases and both formats: right, or refused with the operator."""
    found, refused = {}, {}
    options = InferenceOptions(engine=ENGINE.name, threads=1)
    for one in fixtures():
        try:
            layer = EngineCandidate.found(ENGINE, layer_request(one.path), options).layer()
        except IncompatibleError as error:
            refused[one.identity] = error.problem
            continue
        with layer:
            for number in one.sets:
                outputs = layer(*one.inputs(number).values())
                outputs = outputs if isinstance(outputs, list) else [outputs]
                assert all(type(each) is np.ndarray for each in outputs)
                found[one.identity] = difference(outputs, one.outputs(number))
    wrong = {name: by for name, by in found.items() if by > 1e-4}
    print("right", len(found) - len(wrong), "refused", sorted(refused))
    assert not wrong, wrong
    assert len(found) >= RIGHT, (len(found), refused)


def check_nothing_was_compared():
    one = fixture("3.3.1/classifier")
    with safe_load(one.path, inference_only=True, engine="auto") as layer:
        report = load_report(layer)
    (told,) = report.notes
    assert "nothing was compared, since no Paddle is installed" in told, told
    times = re.findall(r"(\w+) [\d.e-]+ ms", told)
    assert sorted(times) == sorted(ENGINES), told
    assert report.engine == times[0], told


def check_refusals_tell_what_to_do():
    try:
        by_engine(operator("cholesky"), {"x": np.eye(3, dtype="float32")})
    except UnsupportedOperatorError as error:
        told = str(error)
    assert "cholesky" in told, told
    assert told.endswith('Load it with engine="paddle".'), told
    for options, kind in (
        ({"engine": "paddle"}, PaddleNotFoundError),
        ({"engine": "torch"}, UsageError),
        ({"engine": ENGINE.name, "device": "gpu:0"}, UsageError),
        ({"engine": ENGINE.name, "tensorrt": "fp16"}, UsageError),
    ):
        try:
            safe_load(fixture("3.3.1/classifier").path, inference_only=True, **options)
        except kind:
            continue
        raise AssertionError(f"{options} did not end in {kind}")


def check_hostile_programs_never_get_there():
    from attacks.crafted import Crafted, make

    for number, name in enumerate(("py_func", "save", "load_combine")):
        case = make(Crafted("legacy", name, "top"), str(FOLDER))
        place = FOLDER / f"crafted-{number}"
        place.mkdir()
        for file, data in case.files.items():
            (place / file).write_bytes(data)
        try:
            safe_load(place / case.prefix, inference_only=True, engine=ENGINE.name)
        except UnsafeArtifactError:
            continue
        raise AssertionError(f"{name} was let in")


def check_calls():
    one = fixture("3.3.1/classifier")
    values = one.inputs(0)
    with safe_load(one.path, inference_only=True, engine=ENGINE.name, pool_size=2) as layer:
        assert layer.pool_size == 2
        by_place, by_name = layer(*values.values()), layer(**values)
        np.testing.assert_array_equal(by_place, by_name)
        (value,) = values.values()
        for wrong in (value.astype("float64"), value.tolist()):
            try:
                layer(wrong)
            except UsageError:
                continue
            raise AssertionError("it took anything")
        turned = np.ascontiguousarray(value.T).T
        np.testing.assert_array_equal(layer(turned), by_place)
        kept = by_place.copy()
        layer(value * 0)
        np.testing.assert_array_equal(by_place, kept)  # the caller's, not the engine's memory


def check_many_threads():
    one = fixture("2.6.2/classifier")
    (value,) = one.inputs(0).values()
    with safe_load(one.path, inference_only=True, engine=ENGINE.name, pool_size=3) as layer:
        sets = [value * factor for factor in (1, 2, 3, 4, 5, 6)]
        expected = [layer(each) for each in sets]
        wrong = []

        def serve(number):
            for _ in range(30):
                if not np.array_equal(layer(sets[number]), expected[number]):
                    wrong.append(number)

        threads = [threading.Thread(target=serve, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def check_a_handle():
    one = fixture("3.3.1/classifier")
    (value,) = one.inputs(0).values()
    with ModelHandle(one.path, engine=ENGINE.name, sample=[value]) as model:
        before = model(value)
        assert model.reload(), model.status()
        np.testing.assert_array_equal(model(value), before)
        assert model.status().report.engine == ENGINE.name


def check_bench():
    """The verb, on what can be had here: a picture, JSON, and the line of code."""
    import contextlib
    import io
    import json

    from compatload.cli import main as run

    path, file = str(fixture("2.6.2/classifier").path), str(FOLDER / "bench.json")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert run(["bench", path, "--threads", "1", "--turns", "1", "--json", file]) == 0
    told = said.getvalue()
    assert re.search(r"paddle, 1 thread +no Paddle is installed in this environment", told), told
    ways = json.loads(Path(file).read_text())["ways"]
    engines = [way["way"]["engine"] for way in ways]
    assert sorted(engines) == sorted(["paddle", *ENGINES]), ways
    assert engines[-1] == "paddle", ways
    line = f"compatload.safe_load({path!r}, inference_only=True, engine={engines[0]!r}"
    assert line in told, told
    assert len(ways[0]["seconds"]) == 1
    assert ways[0]["way"]["shapes"] == []
    shape = "x".join(map(str, fixture("2.6.2/classifier").inputs(0).popitem()[1].shape))
    more = ["--shape", shape, "--engine", ENGINE.name, "--threads", "1", "--turns", "1"]
    with contextlib.redirect_stdout(said):
        assert run(["bench", path, *more, "--json", file]) == 0
    told = [one["way"]["shapes"] for one in json.loads(Path(file).read_text())["ways"]]
    (name,) = (spec.name for spec in inspect_artifact(path).inputs)
    sizes = [int(size) for size in shape.split("x")]
    assert sorted(told) == [[], [[name, sizes]]], told
    assert "1 thread, shapes fixed" in said.getvalue()
    for wrong in (["--threads", "0"], ["--shape", "x=0x3"], ["--shape", "nobody=1x3"]):
        with contextlib.redirect_stderr(said):
            assert run(["bench", path, *wrong]) == 2, wrong


def check_a_call_that_fails_spoils_no_other():
    """By one thread OpenVINO gave the outputs of the call before, and died later; by more of them
    no later call was right."""
    steps = [
        new_operator("exp", {"X": ["x"]}, {"Out": ["wide"]}, {}),
        new_operator("softmax", {"X": ["y"]}, {"Out": ["soft"]}, {"axis": ("INT", -1)}),
        new_operator(
            "elementwise_add",
            {"X": ["wide"], "Y": ["soft"]},
            {"Out": ["sum"]},
            {"axis": ("INT", -1)},
        ),
        new_operator("relu", {"X": ["sum"]}, {"Out": ["out"]}, {}),
    ]
    fit = {name: np.ones((1, 5, 4), "float32") for name in "xy"}
    unfit = {"x": np.ones((1, 4, 4), "float32"), "y": np.ones((1, 7, 4), "float32")}
    for threads in (1, 2):
        request = made_by_engine(steps, fit, free=True, threads=threads)
        for _ in range(3):
            assert np.allclose(request.run(fit)[0], math.e + 0.25)
            try:
                found = request.run(unfit)
            except RuntimeError:
                continue
            raise AssertionError(found[0].shape)


def check_small_numbers_are_added():
    told = {"scale": ("FLOAT", 2.0), "bias": ("FLOAT", 1e-7), "bias_after_scale": ("BOOLEAN", True)}
    steps = [
        new_operator("scale", {"X": ["x"]}, {"Out": ["more"]}, told),
        new_operator("log", {"X": ["more"]}, {"Out": ["out"]}, {}),
    ]
    zeros = {"x": np.zeros((2, 3), "float32")}
    assert np.allclose(by_engine(steps, zeros), math.log(1e-7)), by_engine(steps, zeros)


def check_a_slow_machine_is_no_verdict():
    """A trial that did not end in time says nothing of the model, and is not kept."""
    model, told = fixture("2.6.2/detector"), ""
    try:
        safe_load(model.path, inference_only=True, engine=ENGINE.name, preflight_timeout=0.001)
    except IncompatibleError as error:
        told = str(error)
    assert "no end within 0.001 seconds" in told, told
    assert "preflight_timeout" in told, told
    values = model.inputs(0).values()
    safe_load(model.path, inference_only=True, engine=ENGINE.name)(*values)


def check_paddle_is_not_here():
    assert "paddle" not in sys.modules


os.environ["COMPATLOAD_CACHE"] = str(FOLDER / "cache")
carry_out(globals())
