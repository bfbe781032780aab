"""Runs inside a real Paddle, for benchmarks/inference.py.

    python inference_worker.py save FOLDER
    python inference_worker.py save_large FOLDER
    python inference_worker.py run THREADS ROUNDS NAME=PATH:1x3x48x192 [...]
    python inference_worker.py load OWN_OR_OURS PATH
    python inference_worker.py answer own|inference_only|predictor PATH 1x3x48x192

``run`` prints one JSON object a model: milliseconds a call of the jit layer, of ``inference_only``
by each engine, of onnxruntime by itself, and of every hand-tuned predictor, in turn and turn
about within this process: the fastest call, the median, and the median of the processor time of all
threads, which others on the machine disturb least (it means little with two threads, since OpenMP's
wait by spinning). ``pairs`` answers the questions of a few per cent: ``auto`` beside the fastest
other engine and ``inference_only`` beside the fastest tuned predictor, a few calls of each in turns
so short that whatever slows the machine slows both.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import inference  # noqa: E402

import compatload  # noqa: E402
from compatload.engines.known import ENGINES  # noqa: E402
from compatload.loading.request import layer_request  # noqa: E402
from compatload.serving.engine import EngineCandidate  # noqa: E402
from compatload.serving.engine_requests import laid_out  # noqa: E402
from compatload.serving.options import InferenceOptions  # noqa: E402

SECONDS_A_TURN, LEAST_CALLS, MOST_CALLS = 0.4, 2, 40
PAIRS, SECONDS_A_SIDE, MOST_A_SIDE = 16, 0.12, 12
# OpenMP threads go on spinning for 200 ms after their last work: not into somebody else's turn.
REST = 0.25


class Upsampling(paddle.nn.Layer):
    """Convolutions with leaky_relu and interpolation, as in detectors."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 32, 64, 64, 64, 64)
        self.layers = paddle.nn.LayerList(
            paddle.nn.Conv2D(a, b, 3, padding=1) for a, b in zip(widths, widths[1:])
        )
        self.last = paddle.nn.Conv2D(64, 8, 3, padding=1)

    def forward(self, x):
        functional = paddle.nn.functional
        for number, layer in enumerate(self.layers):
            x = functional.leaky_relu(layer(x), 0.1)
            if number == 1:
                x = functional.max_pool2d(x, 2)
        x = functional.interpolate(x, scale_factor=2, mode="nearest")
        return functional.interpolate(self.last(x), scale_factor=2, mode="bilinear")


class Recurrent(paddle.nn.Layer):
    """Two layers of LSTM in both directions and a head, as in recognisers of text and speech."""

    def __init__(self) -> None:
        super().__init__()
        self.recurrent = paddle.nn.LSTM(96, 96, num_layers=2, direction="bidirect")
        self.head = paddle.nn.Linear(192, 100)

    def forward(self, x):
        return paddle.nn.functional.softmax(self.head(self.recurrent(x)[0]))


class Encoder(paddle.nn.Layer):
    """Four layers of an encoder, as in BERT's smaller kin."""

    def __init__(self) -> None:
        super().__init__()
        layer = paddle.nn.TransformerEncoderLayer(256, 4, 1024, activation="gelu")
        self.layers = paddle.nn.TransformerEncoder(layer, 4)

    def forward(self, x):
        return self.layers(x)


def save(folder: str) -> None:
    models = paddle.vision.models
    image = [None, 3, 224, 224]
    for name, make, shape in (
        ("resnet50", models.resnet50, image),
        ("mobilenet_v3", models.mobilenet_v3_large, image),
        ("upsampling", Upsampling, [None, 3, None, None]),
        ("lstm", Recurrent, [None, None, 96]),
        ("transformer", Encoder, [None, None, 256]),
    ):
        paddle.seed(2026)
        layer = make()
        layer.eval()
        spec = [paddle.static.InputSpec(shape, "float32", "image")]
        paddle.jit.save(layer, f"{folder}/{name}/model", input_spec=spec)


def save_large(folder: str) -> None:
    """400 MB of an encoder like BERT's."""
    paddle.seed(2026)
    layer = paddle.nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu")
    encoder = paddle.nn.TransformerEncoder(layer, 14)
    encoder.eval()
    spec = [paddle.static.InputSpec([None, None, 768], "float32", "text")]
    paddle.jit.save(encoder, f"{folder}/model", input_spec=spec)


def own_config(path: str, threads: int) -> inference.Config:
    for program in (f"{path}.json", f"{path}.pdmodel", path):
        if Path(program).is_file():
            prefix = program.rpartition(".")[0]
            config = inference.Config(program, f"{prefix}.pdiparams")
            config.disable_glog_info()
            config.set_cpu_math_library_num_threads(threads)
            return config
    raise SystemExit(f"no program at {path}")


def tuned(path: str, threads: int) -> dict[str, Callable[[], inference.Config]]:
    """What somebody who knows predictors would try."""

    def changed(change: Callable[[inference.Config], object]) -> Callable[[], inference.Config]:
        def make() -> inference.Config:
            config = own_config(path, threads)
            change(config)
            return config

        return make

    made = {
        "oneDNN": changed(lambda config: config.enable_mkldnn()),
        "own kernels": changed(lambda config: config.disable_mkldnn()),
        "oneDNN, new executor": changed(
            lambda config: (config.enable_mkldnn(), config.enable_new_executor())
        ),
        "oneDNN, cache": changed(
            lambda config: (config.enable_mkldnn(), config.set_mkldnn_cache_capacity(10))
        ),
    }
    if own_config(path, threads).prog_file().endswith(".pdmodel"):
        made["oneDNN, memory optimised"] = changed(
            lambda config: (config.enable_mkldnn(), config.enable_memory_optim())
        )
        made["oneDNN, memory optimised, cache"] = changed(
            lambda config: (
                config.enable_mkldnn(),
                config.enable_memory_optim(),
                config.set_mkldnn_cache_capacity(10),
            )
        )
    return made


def by_predictor(predictor: inference.Predictor, array: np.ndarray) -> Callable[[], object]:
    feeds, fetches = predictor.get_input_names(), predictor.get_output_names()

    def call() -> list[np.ndarray]:
        predictor.get_input_handle(feeds[0]).copy_from_cpu(array)
        predictor.run()
        return [predictor.get_output_handle(name).copy_to_cpu() for name in fetches]

    return call


def by_onnxruntime(path: str, threads: int, array: np.ndarray) -> Callable[[], object]:
    """A session of its own on what ``engine="onnxruntime"`` runs: paddle2onnx takes no PIR."""
    import onnxruntime

    engine, options = ENGINES["onnxruntime"], InferenceOptions(threads=threads)
    candidate = EngineCandidate.found(engine, layer_request(path), options)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    with laid_out(candidate.artifact, candidate.program, engine) as file:
        session = onnxruntime.InferenceSession(file, settings, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    call = partial(session.run, None, {name: array})
    call()
    return call


def turn(
    call: Callable[[], object],
    rest: float = REST,
    seconds: float = SECONDS_A_TURN,
    most: int = MOST_CALLS,
) -> list[tuple[float, float]]:
    """Seconds, and seconds of processor time, of each call of one turn."""
    time.sleep(rest)
    measured: list[tuple[float, float]] = []
    end = time.perf_counter() + seconds
    while len(measured) < LEAST_CALLS or (time.perf_counter() < end and len(measured) < most):
        started, worked = time.perf_counter(), time.process_time()
        call()
        measured.append((time.perf_counter() - started, time.process_time() - worked))
    return measured


def figures(turns: list[list[tuple[float, float]]]) -> list[float]:
    """Milliseconds: the fastest call, and the median of both times in the quietest turn.

    Others on the machine slow down some turns and never make one faster.
    """
    walls, worked = zip(*(zip(*measured) for measured in turns))
    fastest = min(min(each) for each in walls)
    quietest = (min(statistics.median(each) for each in kind) for kind in (walls, worked))
    return [round(figure * 1000, 3) for figure in (fastest, *quietest)]


def beside(first: Callable[[], object], second: Callable[[], object], rest: float) -> list[float]:
    """Quartiles of how many times as long the first takes, over pairs of short turns."""
    ratios = []
    for number in range(PAIRS):
        medians = {}
        for call in (first, second) if number % 2 else (second, first):
            # The first brings its weights into the caches.
            _, *taken = turn(call, rest, SECONDS_A_SIDE, MOST_A_SIDE)
            medians[call] = statistics.median(wall for wall, _ in taken)
        ratios.append(medians[first] / medians[second])
    return [round(quartile, 4) for quartile in statistics.quantiles(ratios, n=4)]


def pairs(
    calls: dict[str, Callable[[], object]],
    by_hand: list[str],
    said: dict[str, list[float]],
    threads: int,
) -> dict[str, list[object]]:
    """What "within a few per cent" is asked of: each with its rival and the quartiles."""
    rivals = {
        "auto": [way for way in calls if way not in ("jit layer", "auto")],
        "inference_only": by_hand,
    }
    rest = REST if threads > 1 else 0.0
    found: dict[str, list[object]] = {}
    for way, others in rivals.items():
        if way in calls and others:
            rival = min(others, key=lambda other: said[other][1])
            found[way] = [rival, *beside(calls[way], calls[rival], rest)]
    return found


def run(threads: int, rounds: int, models: list[str]) -> None:
    for model in models:
        name, _, rest = model.partition("=")
        path, _, size = rest.rpartition(":")
        array = np.random.RandomState(0).rand(*map(int, size.split("x"))).astype("float32")
        tensor = paddle.to_tensor(array)
        layer = compatload.safe_load(path)
        layer.eval()
        served = compatload.safe_load(path, inference_only=True, threads=threads)
        calls: dict[str, Callable[[], object]] = {
            "jit layer": partial(layer, tensor),
            "inference_only": partial(served, tensor),
        }
        unfit = {}
        for engine in ("openvino", "auto"):
            try:
                asked = {"engine": engine, "threads": threads, "sample_inputs": [array]}
                asked["shapes"] = {served.input_names[0]: array.shape}
                other = compatload.safe_load(path, inference_only=True, **asked)
                calls[engine] = partial(other, tensor)
                unfit[f"notes of {engine}"] = compatload.load_report(other).notes
            except compatload.CompatLoadError as error:
                unfit[engine] = error.problem
        try:
            calls["onnxruntime"] = by_onnxruntime(path, threads, array)
        except Exception as error:
            unfit["onnxruntime"] = f"{type(error).__name__}: {error}"[-200:]
        configs = tuned(path, threads)
        for way, config in configs.items():
            if way != "own kernels" and name == "upsampling" and "3.3." in paddle.__version__:
                unfit[way] = "crashes"  # CL201 and CL202
                continue
            try:
                calls[way] = by_predictor(inference.create_predictor(config()), array)
                calls[way]()
            except Exception as error:
                unfit[way] = str(error).strip().splitlines()[-1][:100]
                calls.pop(way, None)
        by_hand = [way for way in configs if way in calls]
        taken: dict[str, list[list[tuple[float, float]]]] = {way: [] for way in calls}
        with paddle.no_grad():
            for call in calls.values():
                call(), call()
            for _ in range(rounds):
                for way, call in calls.items():
                    taken[way].append(turn(call))
            said = {way: figures(turns) for way, turns in taken.items()}
            paired = pairs(calls, by_hand, said, threads)
        line = {"model": name, "threads": threads, "ms": said, "pairs": paired, "unfit": unfit}
        print(json.dumps(line), flush=True)


def load(who: str, path: str) -> None:
    """Seconds from a fresh interpreter that has imported Paddle to a predictor."""
    started = time.perf_counter()
    if who == "own":
        kept = inference.create_predictor(own_config(path, 1))
    else:
        kept = compatload.safe_load(path, inference_only=True, threads=1)
    print(json.dumps({"seconds": time.perf_counter() - started}), flush=True)
    del kept


def answer(way: str, path: str, size: str) -> None:
    """For benchmarks/starts.py: processor seconds to load, to the first answer, seconds to it."""
    array = np.random.RandomState(0).rand(*map(int, size.split("x"))).astype("float32")
    began, worked = time.perf_counter(), time.process_time()
    if way == "own":
        call = by_predictor(inference.create_predictor(own_config(path, 1)), array)
    elif way == "predictor":
        call = by_predictor(compatload.safe_create_predictor(path, threads=1), array)
    else:
        call = partial(compatload.safe_load(path, inference_only=True, threads=1), array)
    loaded = time.process_time() - worked
    call()
    print(json.dumps([loaded, time.process_time() - worked, time.perf_counter() - began]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] in ("save", "save_large"):
        {"save": save, "save_large": save_large}[sys.argv[1]](sys.argv[2])
    elif sys.argv[1] in ("load", "answer"):
        {"load": load, "answer": answer}[sys.argv[1]](*sys.argv[2:])
    else:
        run(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
