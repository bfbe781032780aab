"""How a model is saved: each way writes ``model.*`` into a folder. Runs inside a Paddle.

``amp`` and ``amp_o2`` are ways as well, though their difference lies in the layer (in bfloat16).
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import paddle

from matrix import saving
from matrix.generator.layers import LEVELS
from matrix.network import Network

Way = Callable[[Any, Network, Path], None]


def save(network: Network, way: str, target: Path) -> None:
    """Save a network with all that ``matrix.saving`` stores of one, its program in that way."""
    if way == PROGRAM:
        save_static_only(network, target)
        return
    made: list[Any] = []

    def layer() -> Any:
        made.append(network.layer())
        return made[0]

    record = saving.save(replace(network, layer=layer), target, verify=False)
    if way not in WAYS:  # as it is saved already
        return
    for file in target.glob("model.*"):
        file.unlink()
    WAYS[way](made[0], network, target)
    record["format"] = "pir" if (target / "model.json").exists() else "legacy"
    saving.write_record(target, json.loads(json.dumps(record)))


def _function(layer: Any, network: Network, target: Path) -> None:
    """A traced function instead of the layer that it belongs to."""
    traced = paddle.jit.to_static(layer.forward, input_spec=_specs(network), full_graph=True)
    paddle.jit.save(traced, str(target / "model"))


def _unpruned(layer: Any, network: Network, target: Path) -> None:
    specs = _specs(network)
    paddle.jit.save(layer, str(target / "model"), input_spec=specs, skip_prune_program=True)


def _legacy(layer: Any, network: Network, target: Path) -> None:
    """The legacy program of a release whose default is PIR."""
    with paddle.pir_utils.DygraphOldIrGuard():
        paddle.jit.save(layer, str(target / "model"), input_spec=_specs(network))


@dataclass(frozen=True)
class Program:
    """What a network's layer computes, built in static mode."""

    main: Any
    feeds: Sequence[Any]
    fetches: Sequence[Any]
    executor: Any
    layer: Any

    def run(self, given: Sequence[np.ndarray]) -> list[np.ndarray]:
        fed = dict(zip((one.name for one in self.feeds), given))
        return list(self.executor.run(self.main, feed=fed, fetch_list=[*self.fetches]))


@contextmanager
def built(network: Network) -> Iterator[Program]:
    """A program of its own, in a scope of its own; its parameters have values by chance."""
    paddle.enable_static()
    try:
        scope, main, start = (one() for one in (_scope, *[paddle.static.Program] * 2))
        with paddle.static.scope_guard(scope):
            with paddle.static.program_guard(main, start), paddle.utils.unique_name.guard():
                feeds = [
                    paddle.static.data(name, [-1 if n is None else n for n in one.shape], one.dtype)
                    for name, one in network.inputs.items()
                ]
                layer = network.layer()
                fetches = layer.compute(*feeds)
            executor = paddle.static.Executor(paddle.CPUPlace())
            executor.run(start)
            generator = np.random.default_rng(0)
            for one in sorted(main.global_block().all_parameters(), key=lambda one: str(one.name)):
                held = scope.find_var(one.name).get_tensor()
                old = np.array(held)
                if old.dtype.kind == "f":
                    held.set(generator.uniform(0.1, 0.9, old.shape).astype(old.dtype), _CPU())
            yield Program(main, feeds, fetches, executor, layer)
    finally:
        paddle.disable_static()


def _scope() -> Any:
    return paddle.static.global_scope().new_scope()


_CPU = paddle.CPUPlace


def _static(layer: Any, network: Network, target: Path) -> None:
    """Built anew in static mode, with the weights of the layer."""
    weights = {name: one.numpy() for name, one in layer.state_dict().items()}
    with built(network) as program:
        scope = paddle.static.global_scope()
        for name, one in program.layer.state_dict().items():
            scope.find_var(one.name).get_tensor().set(weights[name], _CPU())
        _save_program(program, target)


def _save_program(program: Program, target: Path) -> None:
    paddle.static.save_inference_model(
        str(target / "model"),
        [*program.feeds],
        [*program.fetches],
        program.executor,
        program=program.main,
    )


def save_static_only(network: Network, target: Path) -> None:
    """What no eager layer computes: what its program gives counts as right."""
    seed = zlib.crc32(network.name.encode())
    generator = np.random.default_rng(seed)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    arrays: dict[str, np.ndarray] = {}
    with built(network) as program:
        for number, shapes in enumerate(network.shapes):
            values = {
                name: saving.feed(one, shape, generator)
                for (name, one), shape in zip(network.inputs.items(), shapes)
            }
            outputs = program.run([*values.values()])
            where = f"{number}/{saving.METHOD}"
            arrays.update({f"{where}/in/{name}": one for name, one in values.items()})
            arrays.update({f"{where}/out/{leaf}": one for leaf, one in enumerate(outputs)})
        _save_program(program, target)
    saving.write_io(target / "io.npz", arrays)
    inputs = [saving.describe(name, one) for name, one in network.inputs.items()]
    leaves = len(program.fetches)
    method = {"inputs": inputs, "outputs": leaves, "structure": [*range(leaves)]}
    saving.write_record(target, saving.recorded(network, target, {saving.METHOD: method}))


def _specs(network: Network) -> list[Any]:
    return [one.spec(name) for name, one in network.inputs.items()]


WAYS: Mapping[str, Way] = {
    "function": _function,
    "static": _static,
    "unpruned": _unpruned,
    "legacy": _legacy,
}
# A layer, one with a second method, and one in mixed precision are all saved as layers are.
EVERY = ("layer", "methods", *LEVELS, *WAYS)
# What static mode alone has is saved by what it is made in.
PROGRAM = "program"
# What 2.6 cannot: it traces no automatic mixed precision, and its default is the legacy program.
NEW = frozenset({*LEVELS, "legacy"})
