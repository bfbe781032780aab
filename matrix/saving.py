"""Save a network with the Paddle that runs here, together with what it computes.

A saved network is a folder: ``model.*`` as ``paddle.jit.save`` writes it, ``case.json`` and
``io.npz``. ``io.npz`` is keyed ``<set>/<method>/in/<input name>`` and
``<set>/<method>/out/<leaf number>``; outputs are those of the eager layer in eval mode.
``case.json`` gives each method's inputs, its number of leaves and, as ``structure``, the output
with every tensor replaced by its leaf number.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import paddle

from matrix.network import Input, Network

METHOD = "forward"


def save(network: Network, target: Path, *, verify: bool = True) -> dict[str, Any]:
    """Write the folder ``target`` anew and return what ``case.json`` holds.

    With ``verify``, Paddle's own loader must give the stored outputs back.
    """
    seed = zlib.crc32(network.name.encode())
    generator = np.random.default_rng(seed)
    paddle.seed(seed)
    # Parameter names carry a counter; a fresh one makes the files independent of what ran before.
    with paddle.utils.unique_name.guard():
        layer = network.layer()
    if network.seeded:
        fill(layer, generator)
    layer.eval()

    signatures = {METHOD: network.inputs, **network.methods}
    arrays: dict[str, np.ndarray] = {}
    described: dict[str, Any] = {}
    for number, shapes in enumerate(network.shapes):
        for method, inputs in signatures.items():
            values = {n: feed(i, s, generator) for (n, i), s in zip(inputs.items(), shapes)}
            with paddle.no_grad():
                outputs = getattr(layer, method)(*(paddle.to_tensor(v) for v in values.values()))
            leaves = leaves_of(outputs)
            arrays.update({f"{number}/{method}/in/{n}": v for n, v in values.items()})
            arrays.update({f"{number}/{method}/out/{n}": v.numpy() for n, v in enumerate(leaves)})
            described[method] = {
                "inputs": [describe(name, one) for name, one in inputs.items()],
                "outputs": len(leaves),
                "structure": structure_of(outputs, [0]),
            }

    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    spec = [one.spec(name) for name, one in network.inputs.items()]
    if network.methods:  # then Paddle wants every specification in the methods themselves
        layer = paddle.jit.to_static(layer, input_spec=spec, full_graph=True)
        for method, inputs in network.methods.items():
            own = [one.spec(name) for name, one in inputs.items()]
            traced = paddle.jit.to_static(getattr(layer, method), input_spec=own, full_graph=True)
            setattr(layer, method, traced)
    paddle.jit.save(layer, str(target / "model"), input_spec=None if network.methods else spec)
    write_io(target / "io.npz", arrays)
    record = recorded(network, target, described)
    write_record(target, record)
    if verify:
        prove(target, record, arrays)
    return record


def recorded(network: Network, target: Path, methods: Mapping[str, Any]) -> dict[str, Any]:
    """What ``case.json`` tells of a network that was saved there."""
    return {
        "name": network.name,
        "purpose": network.purpose,
        "saved_by": paddle.__version__,
        "format": "pir" if (target / "model.json").exists() else "legacy",
        "prefix": "model",
        "seed": zlib.crc32(network.name.encode()),
        "tolerance": network.tolerance,
        "sets": len(network.shapes),
        "methods": dict(methods),
    }


def save_published(
    name: str,
    source: Path,
    sets: Sequence[Sequence[tuple[int, ...]]],
    target: Path,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Make a saved network of a published model, ``source/inference.*``.

    Its outputs are what this Paddle's own loader gives at each set of sizes, a shape an input;
    ``ranges`` are those that values of an input are drawn from, where any number would not do.
    """
    layer = paddle.jit.load(str(source / "inference"))
    layer.eval()
    inputs = {}
    for spec in layer._input_spec():
        dtype = str(spec.dtype).rpartition(".")[2]
        usual = (0, 2) if dtype.startswith("int") else (-1.0, 1.0)
        low, high = (ranges or {}).get(str(spec.name), usual)
        sizes = tuple(None if size == -1 else size for size in spec.shape)
        inputs[str(spec.name)] = Input(sizes, dtype, low, high)
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    arrays: dict[str, np.ndarray] = {}
    count = 0
    for number, shapes in enumerate(sets):
        values = {n: feed(i, s, generator) for (n, i), s in zip(inputs.items(), shapes)}
        leaves = leaves_of(layer(*map(paddle.to_tensor, values.values())))
        count = len(leaves)
        arrays.update({f"{number}/{METHOD}/in/{n}": v for n, v in values.items()})
        arrays.update({f"{number}/{METHOD}/out/{n}": v.numpy() for n, v in enumerate(leaves)})
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    write_io(target / "io.npz", arrays)
    record = {
        "name": name,
        "purpose": "a published model",
        "saved_by": "unknown",
        "format": "legacy",
        "prefix": "inference",
        "seed": 0,
        "tolerance": 1e-5,
        "sets": len(sets),
        "methods": {
            METHOD: {
                "inputs": [describe(name, one) for name, one in inputs.items()],
                "outputs": count,
                "structure": list(range(count)),
            }
        },
    }
    write_record(target, record)


def fill(layer: Any, generator: np.random.Generator) -> None:
    """Give every parameter and buffer seeded values; variances stay positive."""
    for name, tensor in sorted(layer.state_dict().items()):
        shape = tuple(tensor.shape)
        kind = tensor.numpy().dtype
        if kind.kind != "f":
            continue
        if name.endswith("_variance"):
            values = generator.uniform(0.5, 1.5, shape)
        elif len(shape) > 1:
            values = generator.normal(0.0, 0.4, shape)
        else:
            values = generator.uniform(-0.5, 0.5, shape) + (1.0 if name.endswith("weight") else 0.0)
        tensor.set_value(values.astype(kind))


def feed(spec: Input, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    """Values for one input, drawn from its range."""
    if spec.dtype == "bool":
        return generator.uniform(size=shape) < 0.5
    if spec.dtype.startswith(("int", "uint")):
        return generator.integers(int(spec.low), int(spec.high), shape).astype(spec.dtype)
    return generator.uniform(spec.low, spec.high, shape).astype(spec.dtype)


def describe(name: str, one: Input) -> dict[str, Any]:
    shape = [-1 if size is None else size for size in one.shape]
    return {"name": name, "dtype": one.dtype, "shape": shape}


def leaves_of(outputs: Any) -> list[Any]:
    """Tensors in the order in which Paddle flattens nested outputs (dict keys sorted)."""
    if isinstance(outputs, dict):
        return [leaf for key in sorted(outputs) for leaf in leaves_of(outputs[key])]
    if isinstance(outputs, (list, tuple)):
        return [leaf for one in outputs for leaf in leaves_of(one)]
    return [outputs]


def structure_of(outputs: Any, counter: list[int]) -> Any:
    """The nested output with each tensor replaced by its leaf number."""
    if isinstance(outputs, dict):
        return {key: structure_of(outputs[key], counter) for key in sorted(outputs)}
    if isinstance(outputs, (list, tuple)):
        return [structure_of(one, counter) for one in outputs]
    counter[0] += 1
    return counter[0] - 1


def write_io(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Like ``np.savez_compressed``, but with fixed time stamps: equal arrays give equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for key in sorted(arrays):
            buffer = io.BytesIO()
            np.save(buffer, np.ascontiguousarray(arrays[key]).reshape(arrays[key].shape))
            archive.writestr(zipfile.ZipInfo(f"{key}.npy"), buffer.getvalue())


def write_record(target: Path, record: Mapping[str, Any]) -> None:
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (target / "case.json").write_text(text + "\n", encoding="utf-8")


def prove(target: Path, record: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Paddle's own loader gives the stored outputs, leaf by leaf."""
    layer = paddle.jit.load(str(target / "model"))
    layer.eval()
    for method, described in record["methods"].items():
        for number in range(record["sets"]):
            names = [one["name"] for one in described["inputs"]]
            values = [paddle.to_tensor(arrays[f"{number}/{method}/in/{n}"]) for n in names]
            leaves = leaves_of(getattr(layer, method)(*values))
            for leaf, tensor in enumerate(leaves):
                expected = arrays[f"{number}/{method}/out/{leaf}"]
                np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-5, atol=1e-5)
