"""How a model is saved: each way writes ``model.*`` into a folder. Runs inside a Paddle.

``amp`` is a way as well, though its difference lies in the layer (O1, in bfloat16).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import paddle

from matrix import saving
from matrix.network import Network

Way = Callable[[Any, Network, Path], None]


def save(network: Network, way: str, target: Path) -> None:
    """Save a network with all that ``matrix.saving`` stores of one, its program in that way."""
    built: list[Any] = []

    def layer() -> Any:
        built.append(network.layer())
        return built[0]

    record = saving.save(replace(network, layer=layer), target, verify=False)
    if way not in WAYS:  # as it is saved already
        return
    for file in target.glob("model.*"):
        file.unlink()
    WAYS[way](built[0], network, target)
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


def _static(layer: Any, network: Network, target: Path) -> None:
    """Built anew in static mode, with the weights of the layer."""
    weights = {name: one.numpy() for name, one in layer.state_dict().items()}
    paddle.enable_static()
    try:
        main, start = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, start), paddle.utils.unique_name.guard():
            feeds = [
                paddle.static.data(name, [-1 if n is None else n for n in one.shape], one.dtype)
                for name, one in network.inputs.items()
            ]
            again = type(layer)(layer.description)
            fetches = again.compute(*feeds)
        executor = paddle.static.Executor(paddle.CPUPlace())
        executor.run(start)
        scope = paddle.static.global_scope()
        for name, one in again.state_dict().items():
            scope.find_var(one.name).get_tensor().set(weights[name], paddle.CPUPlace())
        prefix = str(target / "model")
        paddle.static.save_inference_model(prefix, feeds, fetches, executor, program=main)
    finally:
        paddle.disable_static()


def _specs(network: Network) -> list[Any]:
    return [one.spec(name) for name, one in network.inputs.items()]


WAYS: Mapping[str, Way] = {
    "function": _function,
    "static": _static,
    "unpruned": _unpruned,
    "legacy": _legacy,
}
# A layer, one with a second method, and one in mixed precision are all saved as layers are.
EVERY = ("layer", "methods", "amp", *WAYS)
# What 2.6 cannot: it traces no automatic mixed precision, and its default is the legacy program.
NEW = frozenset({"amp", "legacy"})
