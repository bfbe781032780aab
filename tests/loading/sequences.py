"""Models whose inputs are sequences (LoD), saved by 2.6.2, and each way to run them.

python sequences.py save FOLDER            by Paddle 2.6.2: models, inputs, what they compute
python sequences.py run FOLDER [NAME]      as each API of compatload loads them here, as JSON
python sequences.py refused FOLDER NAME    what layers say without lengths, and with others
python sequences.py tried FOLDER NAME ...  what a preflight, bench and check --run make of them
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import paddle

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
SIZE = 8
# Offsets of two calls; the second is run once more after the first.
ONE_LEVEL = ([[0, 5, 12]], [[0, 1, 4, 12]])
TWO_LEVELS = ([[0, 2, 3], [0, 3, 5, 12]], [[0, 1, 4], [0, 2, 3, 9, 12]])


def appended(kind, inputs, result, attributes=(), dtype="float32", level=1, more=()):
    """What an operator of the static graph makes."""
    block = paddle.static.default_main_program().global_block()

    def made(dtype, level):
        return block.create_var(
            name=paddle.utils.unique_name.generate(kind), dtype=dtype, lod_level=level
        )

    out = made(dtype, level)
    outputs = {result: [out], **{name: [made("float32", 0)] for name in more}}
    block.append_op(type=kind, inputs=inputs, outputs=outputs, attrs=dict(attributes))
    return out


def parameter(shape):
    return paddle.static.create_parameter(shape, "float32")


def words(level=1, name="words"):
    return paddle.static.data(name, [-1, 1], "int64", lod_level=level)


def rows(level=1, name="rows"):
    return paddle.static.data(name, [-1, SIZE], "float32", lod_level=level)


def embedded(ids):
    inputs = {"Ids": [ids], "W": [parameter([20, SIZE])]}
    return appended("lookup_table", inputs, "Out", {"is_sparse": True, "padding_idx": -1})


def gru(x, reverse=False):
    inputs = {
        "Input": [paddle.static.nn.fc(x, 3 * SIZE)],
        "Weight": [parameter([SIZE, 3 * SIZE])],
        "Bias": [parameter([1, 3 * SIZE])],
    }
    more = ("BatchGate", "BatchResetHiddenPrev", "BatchHidden")
    attributes = {
        "is_reverse": reverse,
        "gate_activation": "sigmoid",
        "activation": "tanh",
        "origin_mode": False,
    }
    return appended("gru", inputs, "Hidden", attributes, more=more)


def lstm(x, reverse=False):
    inputs = {
        "Input": [paddle.static.nn.fc(x, 4 * SIZE)],
        "Weight": [parameter([SIZE, 4 * SIZE])],
        "Bias": [parameter([1, 7 * SIZE])],
    }
    attributes = {
        "use_peepholes": True,
        "is_reverse": reverse,
        "gate_activation": "sigmoid",
        "cell_activation": "tanh",
        "candidate_activation": "tanh",
    }
    more = ("Cell", "BatchGate", "BatchCellPreAct")
    return appended("lstm", inputs, "Hidden", attributes, more=more)


def decoded(x, more=()):
    scores = paddle.static.nn.fc(x, 5, num_flatten_dims=len(x.shape) - 1)
    inputs = {"Emission": [scores], "Transition": [parameter([7, 5])], **dict(more)}
    return appended("crf_decoding", inputs, "ViterbiPath")  # declared wrongly, as fluid did


def pooled(x, kind="SUM"):
    return paddle.static.nn.sequence_lod.sequence_pool(x, kind.lower())


def tagger():
    x = embedded(words())
    return [decoded(paddle.concat([gru(x), gru(x, reverse=True)], axis=1))]


def rank():
    x = paddle.concat([embedded(words()), embedded(words(name="entity"))], axis=1)
    x = paddle.concat([lstm(x), lstm(x, reverse=True)], axis=1)
    scores = paddle.nn.functional.softmax(paddle.static.nn.fc(x, 4))
    best = paddle.argmax(scores, axis=1)
    inputs = {"X": [best], "Y": [scores]}
    return [appended("lod_reset", inputs, "Out", dtype="int64"), scores]


def pools():
    kinds = ("AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST")
    x = embedded(words())
    return [paddle.static.nn.fc(paddle.concat([pooled(x, one) for one in kinds], axis=1), 3)]


def convolution():
    sequence = paddle.static.nn.sequence_lod
    x = sequence.sequence_conv(embedded(words()), SIZE, filter_size=3)
    return [x, sequence.sequence_softmax(paddle.static.nn.fc(x, 1))]


def expansion():
    x = embedded(words())
    return [paddle.static.nn.sequence_lod.sequence_expand(pooled(x), x) + x]


def lookahead():
    inputs = {"X": [rows()], "Filter": [parameter([3, SIZE])]}
    return [appended("row_conv", inputs, "Out")]


def numbered():
    inputs = {"X": [rows(0)], "Y": [paddle.static.data("offsets", [-1], "int32")]}
    return [pooled(appended("lod_reset", inputs, "Out"))]


def fixed():
    inputs = {"X": [rows(0)]}
    return [pooled(appended("lod_reset", inputs, "Out", {"target_lod": [0, 2, 12]}))]


def aligned():
    labels = paddle.static.data("labels", [-1, 1], "int32", lod_level=1)
    attributes = {"merge_repeated": True, "blank": 3}
    return [appended("ctc_align", {"Input": [labels]}, "Output", attributes, dtype="int32")]


def levels():
    return [pooled(pooled(embedded(words(2)), "MAX")), pooled(embedded(words(2, "others")))]


def image():
    attributes = {"kernels": [2, 2], "strides": [2, 2], "paddings": [0, 0, 0, 0]}
    x = paddle.static.data("image", [-1, 2, 4, 6], "float32")
    return [gru(appended("im2sequence", {"X": [x]}, "Out", attributes))]


def padded():
    x = paddle.static.data("padded", [-1, 4, SIZE], "float32")
    length = paddle.static.data("length", [-1], "int64")
    return [decoded(x, {"Length": [length]})]


def unused():
    return [paddle.static.nn.fc(rows(), 3)]


MODELS = {
    one.__name__: one
    for one in (
        *(tagger, rank, pools, convolution, expansion, lookahead, numbered, fixed, aligned),
        *(levels, image, padded, unused),
    )
}


def given(name, level, call):
    """One input: an array, and its offsets or none."""
    random = np.random.default_rng(call)
    lod = () if not level else (ONE_LEVEL if level == 1 else TWO_LEVELS)[call]
    if name in ("words", "others", "entity"):
        return random.integers(0, 20, (12, 1)).astype("int64"), lod
    if name == "labels":
        return random.integers(0, 5, (12, 1)).astype("int32"), lod
    if name == "offsets":
        return np.array(((0, 5, 12), (0, 1, 12))[call], "int32"), ()
    if name == "length":
        return np.array(((4, 2, 3), (1, 4, 2))[call], "int64"), ()
    shapes = {"rows": (12, SIZE), "image": (2, 2, 4, 6), "padded": (3, 4, SIZE)}
    return random.standard_normal(shapes[name]).astype("float32"), lod


def tensor(array, lod):
    core = paddle.base.core
    made = core.DenseTensor() if hasattr(core, "DenseTensor") else core.LoDTensor()
    made.set(array, paddle.CPUPlace())
    if lod:
        made.set_lod(lod)
    return made


def save(folder):
    paddle.enable_static()
    for name, make in MODELS.items():
        paddle.seed(7)
        program, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(program, startup), paddle.utils.unique_name.guard():
            outputs = make()
            feeds = [one for one in program.list_vars() if one.is_data]
            feeds.sort(key=lambda one: one.name, reverse=True)
            executor = paddle.static.Executor(paddle.CPUPlace())
            executor.run(startup)
            path = str(folder / name)
            paddle.static.save_inference_model(path, feeds, outputs, executor, program=program)
        calls = []
        for call in range(2):
            values = {one.name: given(one.name, one.lod_level, call) for one in feeds}
            fed = {key: tensor(*value) for key, value in values.items()}
            made = executor.run(program, feed=fed, fetch_list=outputs, return_numpy=False)
            np.savez(
                folder / f"{name}.{call}.npz",
                **{f"in.{key}": array for key, (array, _) in values.items()},
                **{f"out.{place}": np.array(one) for place, one in enumerate(made)},
            )
            lods = {key: lod for key, (_, lod) in values.items()}
            calls.append({"in": lods, "out": [one.lod() for one in made]})
        (folder / f"{name}.json").unlink(missing_ok=True)
        (folder / f"{name}.lods").write_text(json.dumps(calls))


def by_program(path):
    from compatload import safe_load_inference_model

    paddle.enable_static()
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        program, feeds, fetches = safe_load_inference_model(path, executor)
    paddle.disable_static()

    def call(values):
        fed = {name: tensor(*values[name]) for name in feeds}
        paddle.enable_static()
        try:
            with paddle.static.scope_guard(scope):
                made = executor.run(program, feed=fed, fetch_list=fetches, return_numpy=False)
        finally:
            paddle.disable_static()
        return [(np.array(one), one.lod()) for one in made]

    return call


def by_predictor(path):
    from compatload import safe_create_predictor

    predictor = safe_create_predictor(path)

    def call(values):
        for name in predictor.get_input_names():
            handle = predictor.get_input_handle(name)
            handle.copy_from_cpu(values[name][0])
            handle.set_lod(values[name][1])
        predictor.run()
        handles = map(predictor.get_output_handle, predictor.get_output_names())
        return [(one.copy_to_cpu(), one.lod()) for one in handles]

    return call


def by_layer(path, **options):
    from compatload import safe_load

    layer = safe_load(path, **options)

    def call(values):
        return results(layer(*[tensor(x, lod) if lod else x for x, lod in values.values()]))

    return call


def by_pool(path):
    return by_layer(path, inference_only=True, threads=1)


def by_tensors(path):
    from compatload import safe_load

    layer = safe_load(path, inference_only=True, threads=1)

    def call(values):
        given = []
        for array, lod in values.values():
            given.append(paddle.to_tensor(array))
            if lod:
                given[-1].get_tensor().set_lod(lod)
        return results(layer(*given))

    return call


def results(made):
    made = made if isinstance(made, (list, tuple)) else [made]
    return [(one.numpy(), one.get_tensor().lod()) for one in made]


WAYS = {
    "program": by_program,
    "predictor": by_predictor,
    "layer": by_layer,
    "pool": by_pool,
    "tensors": by_tensors,
}


def compared(folder, name, make):
    """How far every output is from what 2.6.2 made: the same inputs, in three calls."""
    call = make(str(folder / name))
    lods = json.loads((folder / f"{name}.lods").read_text())
    worst = 0.0
    for number in (0, 1, 0):
        with np.load(folder / f"{name}.{number}.npz") as file:
            saved = {key: file[key] for key in file.files}
        told = lods[number]
        made = call({key: (saved[f"in.{key}"], told["in"][key]) for key in told["in"]})
        for place, (array, lod) in enumerate(made):
            wanted = saved[f"out.{place}"]
            if array.shape != wanted.shape or array.dtype != wanted.dtype:
                return f"{array.dtype}{array.shape} for {wanted.dtype}{wanted.shape}"
            if lod != told["out"][place]:
                return f"lengths {lod} for {told['out'][place]}"
            worst = max(worst, float(np.abs(array.astype("float64") - wanted).max(initial=0)))
    return worst


def refused(folder, name, options):
    """What a layer says of an array and a Tensor without lengths, and of lengths that do not fit;
    empty where it computes."""
    from compatload import safe_load
    from compatload.errors import UsageError

    layer = safe_load(str(folder / name), **options)
    with np.load(folder / f"{name}.0.npz") as file:
        arrays = [file[key] for key in file.files if key.startswith("in.")]
    said = []
    for make in (np.copy, paddle.to_tensor, with_short_lengths, with_two_levels):
        try:
            layer(*[make(x) for x in arrays])
            said.append("")
        except UsageError as error:
            said.append(str(error))
    return said


def tried(folder, name):
    """What children make up lengths for: a preflight, turns of bench, runs of check."""
    import subprocess

    from compatload import safe_load
    from compatload.serving.bench import ServingWay, bench

    path = str(folder / f"{name}.pdmodel")
    safe_load(path, inference_only=True, preflight=True)
    timed = bench(path, [ServingWay("paddle", 1)], turns=1, seconds=0.05)
    command = [sys.executable, "-m", "compatload", "check", "--run", path]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    return {"timed": timed.fastest is not None, "right": said.count("compatload ok")}


def with_short_lengths(array):
    """A Tensor whose lengths were set when it was shorter."""
    made = paddle.to_tensor(array[:5])
    made.get_tensor().set_lod([[0, 5]])
    made.get_tensor().set(array, paddle.CPUPlace())
    return made


def with_two_levels(array):
    made = paddle.to_tensor(array)
    made.get_tensor().set_lod([[0, 1, 2], [0, 5, len(array)]])
    return made


def main(what, folder, *names):
    if what == "save":
        save(folder)
        return
    warnings.simplefilter("ignore")
    if what == "refused":
        ways = {"layer": {}, "pool": {"inference_only": True, "threads": 1}}
        print(json.dumps({way: refused(folder, names[0], ways[way]) for way in ways}))
        return
    if what == "tried":
        print(json.dumps({name: tried(folder, name) for name in names}))
        return
    said = {}
    for name in names or MODELS:
        for way, make in WAYS.items():
            try:
                said[f"{name} {way}"] = compared(folder, name, make)
            except Exception as error:
                said[f"{name} {way}"] = f"{type(error).__name__}: {str(error)[-400:]}"
    print(json.dumps(said))


main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
