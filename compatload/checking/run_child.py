"""Load and run one model through one loader; for a process of its own.

    python -m compatload.checking.run_child API CALLER PREFIX OUT [TRUSTED_OPERATOR ...]

``CALLER`` is ``paddle`` or ``compatload``. Writes the outputs to ``OUT`` (.npz), with the sizes
that unknown dimensions were given. An error goes to standard error, its last line says what.
``every`` does so for several, as far as one import of Paddle is enough for them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.artifact.model import Artifact
from compatload.artifact.record import read_record
from compatload.drop_ins import safe_create_predictor, safe_load, safe_load_inference_model
from compatload.loading.recorded import sample_inputs
from compatload.operators.admission import require_admissible
from compatload.trials.fork import can_fork, end_of
from compatload.trials.layers import executed, predicted, run
from compatload.trials.lengths import levels_needed, with_lengths
from compatload.trials.sampling import InputShape, candidates, sample

SEED = 0
ENDS = "ends.jsonl"
Run = Callable[[Mapping[str, Any]], "list[Any]"]  # inputs by name


def main(api: str, caller: str, path: str, out: str, *trusted_operators: str) -> None:
    artifact = inspect_whole(path)
    require_admissible(artifact, trusted_operators)  # it may be another one by now
    # NumPy before Paddle: 2.6.2 brings a zlib that NumPy's own must not meet later.
    import numpy

    run = _LOADERS[api](artifact, path, caller, trusted_operators)
    sizes, outputs = _outputs(artifact, run)
    arrays = {f"out_{number}": value for number, value in enumerate(outputs)}
    with open(out, "wb") as stream:
        numpy.savez(stream, sizes=numpy.asarray(sizes), **arrays)


def every(jobs: str, path: str, folder: str, limit: str, *trusted_operators: str) -> None:
    """Do each of the ``jobs``, a JSON list of [api, caller], in a fork of this process.

    The outputs of the first one go to ``0.npz`` in ``folder``, and so on; how each ended, to the
    file ``ENDS``. Where nothing can be forked the first one is done here, and no other.
    """
    # NumPy before Paddle: 2.6.2 brings a zlib that NumPy's own must not meet later.
    import numpy  # noqa: F401
    from paddle import inference  # noqa: F401

    def act(number: int) -> None:
        api, caller = asked[number]
        main(api, caller, path, outputs(folder, number), *trusted_operators)

    asked = json.loads(jobs)
    if not can_fork():
        act(0)
        return
    with open(os.path.join(folder, ENDS), "w", encoding="utf-8") as ends:
        for number in range(len(asked)):
            end = end_of(lambda: act(number), float(limit))  # noqa: B023 - called at once
            ends.write(json.dumps([end.status, end.said]) + "\n")


def outputs(folder: str, number: int) -> str:
    """Where the outputs of a job go."""
    return os.path.join(folder, f"{number}.npz")


def _outputs(artifact: Artifact, run: Run) -> tuple[tuple[int, int], list[Any]]:
    """The outputs for the recorded sample, else for the first sizes that the model takes."""
    levels = levels_needed(artifact)
    names = [spec.name for spec in artifact.inputs]

    def tried(arrays: Sequence[Any]) -> list[Any]:
        return run(with_lengths(dict(zip(names, arrays)), levels))

    recorded = _recorded_inputs(artifact)
    if recorded is not None:
        return (0, 0), tried(recorded)
    shapes = [
        InputShape(spec.name, spec.dtype or "float32", spec.shape or ()) for spec in artifact.inputs
    ]
    problem: Exception | None = None
    for sizes in candidates(shapes):
        try:
            return sizes, tried(sample(shapes, sizes, SEED))
        except Exception as error:  # a size that this model does not take
            problem = problem or error
    raise problem or ValueError("no inputs")


def _recorded_inputs(artifact: Artifact) -> list[Any] | None:
    if artifact.files.record is None:
        return None
    return sample_inputs(read_record(artifact.files.record))


def _layer(artifact: Artifact, path: str, caller: str, trusted: Sequence[str]) -> Run:
    import paddle

    if caller == "paddle":
        layer = paddle.jit.load(artifact.files.prefix)
    else:
        layer = safe_load(path, trusted_operators=trusted)
    layer.eval()
    return lambda inputs: list(run(layer, list(inputs.values())))


def _program(artifact: Artifact, path: str, caller: str, trusted: Sequence[str]) -> Run:
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    if caller == "paddle":
        program, _, targets = paddle.static.load_inference_model(artifact.files.prefix, executor)
    else:
        program, _, targets = safe_load_inference_model(path, executor, trusted_operators=trusted)
    return lambda inputs: executed(executor, program, inputs, targets)


def _predictor(artifact: Artifact, path: str, caller: str, trusted: Sequence[str]) -> Run:
    from paddle import inference

    if caller == "paddle":
        files = artifact.files
        weights = files.parameters[0] if files.parameters_combined and files.parameters else ""
        predictor = inference.create_predictor(inference.Config(files.program, weights))
    else:
        predictor = safe_create_predictor(path, trusted_operators=trusted)
    return lambda inputs: predicted(predictor, inputs)


_LOADERS = {"layer": _layer, "program": _program, "predictor": _predictor}


if __name__ == "__main__":
    main(*sys.argv[1:])
