"""The child process that runs one model on samples, and compares what comes out.

Run in an interpreter that may be another one than the parent's. Both sides exchange files in a
directory of their own: JSON and arrays, never a pickle. Every attempt is announced before it is
made, so that the parent knows which one a crash belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from compatload.drop_ins import safe_create_predictor
from compatload.loading.execution import first_line
from compatload.loading.own_loaders import own_loaders
from compatload.runtime.detection import detect_runtime
from compatload.trials.comparison import relative_difference, slack
from compatload.trials.layers import executed, predicted
from compatload.trials.layers import run as run_layer
from compatload.trials.lengths import with_lengths
from compatload.trials.sampling import InputShape, sample

REQUEST, TOLD, SAMPLES = "request.json", "told.jsonl", "samples-{}.npz"
RUNTIME = "runtime.json"
# Two shapes show what was wrongly taken for constant.
ROUNDS = 2

_Arrays = Mapping[str, Any]


def main() -> None:
    """Do what the request in the current directory asks, and tell of it line by line."""
    request = json.loads(Path(REQUEST).read_bytes())
    with open(TOLD, "a", encoding="utf-8") as told:
        if request["role"] == "source":
            _run_source(request, told)
        else:
            _run_result(request, told)


def attempts(request: Mapping[str, Any]) -> list[Any]:
    """What a process with this request tries, in order."""
    return list(request["sizes"] if request["role"] == "source" else request["apis"])


def _run_source(request: Mapping[str, Any], told: TextIO) -> None:
    """Outputs of the source for the first sizes of inputs that it takes."""
    done = int(request["rounds"])
    for number, sizes in enumerate(request["sizes"]):
        if number < request["skip"] or done >= ROUNDS:
            continue
        _tell(told, attempt=number)
        try:
            inputs = _inputs(request, sizes)
            run = _source(request)
            given = with_lengths(inputs, request["levels"])
            outputs = run(given)
            again = run(given)
        except Exception as error:  # Paddle raises anything; another size may do
            _tell(told, number=number, problem=first_line(error))
            continue
        steady = all(relative_difference(one, other) == 0.0 for one, other in zip(outputs, again))
        arrays = {f"in/{name}": value for name, value in inputs.items()}
        arrays.update({f"out/{index}": value for index, value in enumerate(outputs)})
        _save(SAMPLES.format(done), arrays)
        done += 1
        _tell(told, number=number, steady=steady)


def _run_result(request: Mapping[str, Any], told: TextIO) -> None:
    """The result through Paddle's own loaders, beside the source's outputs."""
    for number, api in enumerate(request["apis"]):
        if number < request["skip"]:
            continue
        _tell(told, attempt=number)
        try:
            with own_loaders():  # also under `compatload run`, where they are the safe ones
                run = _OWN_LOADERS[api](request)
            for inputs, expected in _samples(request):
                compared = _compared(run(with_lengths(inputs, request["levels"])), expected)
                _tell(told, number=number, shapes=_shapes(inputs), **compared)
        except Exception as error:  # Paddle raises anything, and all of it is an outcome
            _tell(told, number=number, problem=first_line(error))


def _source(request: Mapping[str, Any]) -> Any:
    """The source as its own format, without the passes that change numbers."""
    from paddle import inference

    config = inference.Config()
    if request["program"] is None:
        config.set_model(request["directory"])
    else:
        config.set_prog_file(request["program"])
        config.set_params_file(request["weights"])
    return partial(predicted, safe_create_predictor(_quiet(config)))


def _own_predictor(request: Mapping[str, Any]) -> Any:
    from paddle import inference

    config = inference.Config(request["program"], request["weights"])
    if request.get("as_users_do"):
        config.disable_glog_info()
    else:
        _quiet(config)
    return partial(predicted, inference.create_predictor(config))


def _quiet(config: Any) -> Any:
    # What is proven is the conversion; the faults of oneDNN and of passes are the rules' business.
    config.disable_glog_info()
    config.disable_mkldnn()
    config.switch_ir_optim(False)
    return config


def _own_program(request: Mapping[str, Any]) -> Any:
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    loaded = paddle.static.load_inference_model(request["prefix"], executor)
    program, _, fetches = loaded

    return lambda inputs: executed(executor, program, inputs, fetches)


def _own_layer(request: Mapping[str, Any]) -> Any:
    import paddle

    paddle.disable_static()
    layer = paddle.jit.load(request["prefix"])
    layer.eval()

    return lambda inputs: list(run_layer(layer, [inputs[name] for name in request["order"]]))


_OWN_LOADERS = {"layer": _own_layer, "program": _own_program, "predictor": _own_predictor}


def _inputs(request: Mapping[str, Any], sizes: Sequence[int] | str) -> dict[str, Any]:
    import numpy

    if isinstance(sizes, str):  # arrays that the caller gave
        with numpy.load(sizes, allow_pickle=False) as given:
            return {name: numpy.ascontiguousarray(given[name]) for name in given.files}
    shapes = [
        InputShape(spec["name"], spec["dtype"], tuple(spec["shape"])) for spec in request["inputs"]
    ]
    arrays = sample(shapes, (sizes[0], sizes[1]), 0)
    return {str(shape.name): array for shape, array in zip(shapes, arrays)}


def _samples(request: Mapping[str, Any]) -> Iterator[tuple[_Arrays, list[Any]]]:
    import numpy

    for path in request["samples"]:
        with numpy.load(path, allow_pickle=False) as stored:
            arrays = dict(stored)
        inputs = {name[3:]: value for name, value in arrays.items() if name.startswith("in/")}
        count = len(arrays) - len(inputs)
        yield inputs, [arrays[f"out/{index}"] for index in range(count)]


def _save(path: str, arrays: Mapping[str, Any]) -> None:
    import numpy

    numpy.savez(path, **arrays)


def _compared(found: Sequence[Any], expected: Sequence[Any]) -> dict[str, Any]:
    """``difference``, or the ``problem``; ``disagrees`` where the numbers are not the same."""
    if len(found) != len(expected):
        return {
            "disagrees": True,
            "problem": f"{len(found)} outputs, and the source has {len(expected)}",
        }
    largest = 0.0
    for number, (one, other) in enumerate(zip(found, expected)):
        difference = relative_difference(other, one)
        if difference is None:
            told = f"{one.dtype}{list(one.shape)}, and the source's is "
            told += f"{other.dtype}{list(other.shape)}"
            return {"disagrees": True, "problem": f"output {number} is {told}"}
        largest = max(largest, difference / slack(other))
    return {"difference": largest}


def _shapes(inputs: _Arrays) -> dict[str, list[int]]:
    return {name: list(value.shape) for name, value in inputs.items()}


def _tell(told: TextIO, **line: Any) -> None:
    told.write(json.dumps(line) + "\n")
    told.flush()


def describe() -> None:
    """Write what is installed here."""
    Path(RUNTIME).write_text(detect_runtime().to_json())
