"""The small JSON beside a saved model: what made it, and what it must compute.

    PREFIX.compatload

Not .json: paddle.jit.load of 3.x takes PREFIX.anything.json for a further method of the model.
Written last, so that a model without one is never half a model. Read with the suspicion that any
file deserves: bounded, every field checked, nothing run.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from math import prod
from pathlib import Path
from typing import Any

from compatload.artifact.files import open_regular, read_file
from compatload.artifact.model import MOST_AXES
from compatload.errors import ArtifactError, DamagedArtifactError
from compatload.frozen import frozen

SCHEMA_VERSION = 1
SUFFIX = ".compatload"
LARGEST = 8 << 20  # bytes of a record that are read
# Values of one array that are kept: all of a small one, else evenly spaced ones.
MOST_VALUES = 4096
# Values of all inputs of a sample together: they are made in memory, as float64 at first.
MOST_SAMPLED = 1 << 27
_WIDTHS = {  # bytes a value
    "bool": 1,
    "float16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
    **{f"{sign}int{bits}": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


@frozen
class StoredArray:
    """An array, or every ``step``-th of its values in C order; little-endian, base64."""

    dtype: str
    shape: tuple[int, ...]
    step: int
    values: str

    def array(self) -> Any:
        """The kept values, flat."""
        import numpy

        return numpy.frombuffer(base64.b64decode(self.values), numpy.dtype(self.dtype))

    def same_places(self, array: Any) -> Any:
        """The values of another array at the places that were kept, flat."""
        return array.reshape(-1)[:: self.step]


def stored(array: Any) -> StoredArray:
    import numpy

    little = numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    step = max(1, -(-little.size // MOST_VALUES))
    kept = little.reshape(-1)[::step].tobytes()
    return StoredArray(
        str(array.dtype), tuple(array.shape), step, base64.b64encode(kept).decode("ascii")
    )


@frozen
class StoredFile:
    """Size and hash of a file, by which a later change of it is seen."""

    size: int
    sha256: str


@frozen
class Loader:
    """One of Paddle's own loaders, of one release, beside the layer.

    Args:
        loader: ``layer``, ``program`` or ``predictor``.
        tried: it was run on the samples; else what is said of it is predicted.
        agrees: it gave the layer's numbers, or will; else ``told`` says what it does.
        difference: the largest one where it was run, relative to the output's scale.
    """

    release: str
    loader: str
    tried: bool
    agrees: bool
    told: str = ""
    difference: float | None = None


@frozen
class Record:
    """Everything that is written beside a model.

    ``sample_inputs`` are arrays made by ``numpy.random.default_rng(seed)`` from ``inputs`` and
    ``sizes`` when ``seed`` is set, else kept whole. ``difference`` is the largest one that was
    seen between model and layer, relative to the output's scale; None: not compared.
    ``formats`` are all that was written (``"pir"``, ``"legacy"``, ``"paddle==3.0.0"``), ``format``
    the one that the saving Paddle writes itself.
    ``remedies`` were taken to save it at all, ``warnings`` are doubts that the samples left,
    ``untried`` are ways through the layer's branches that no sample took, ``loaders`` what the
    loaders of the releases make of it that are to load it.
    """

    release: str
    format: str
    pir_version: int | None
    device: str
    flags: Mapping[str, object]
    inputs: tuple[Mapping[str, object], ...]
    files: Mapping[str, StoredFile]
    outputs: tuple[StoredArray, ...] = ()
    seed: int | None = None
    sizes: tuple[int, int] | None = None
    sample_inputs: tuple[StoredArray, ...] = ()
    difference: float | None = None
    remedies: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    compatload: str = ""
    formats: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    loaders: tuple[Loader, ...] = ()
    schema: int = field(default=SCHEMA_VERSION)

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def record_path(prefix: str) -> str:
    return prefix + SUFFIX


def write_record(record: Record, path: str) -> None:
    """Aside, flushed, then renamed: complete or absent."""
    aside = f"{path}.part"
    with open(aside, "w", encoding="utf-8") as stream:
        json.dump(record.to_dict(), stream, indent=1, ensure_ascii=False)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(aside, path)


def read_record(path: str) -> Record:
    """The record at a path.

    Raises:
        DamagedArtifactError: it is no record, or one of a newer schema.
        ArtifactNotFoundError, UnsafeArtifactError: it cannot be read, or is no regular file.
    """
    data, _ = read_file(path, LARGEST)
    try:
        return _record(_table(data))
    except (
        *(ValueError, TypeError, LookupError, AttributeError),
        *(OverflowError, RecursionError),
    ) as error:
        raise DamagedArtifactError(
            f"{path} is no record of compatload: {error}",
            action="Delete it, or save the model again with compatload.safe_save.",
            artifact=path,
        ) from error


def _table(data: bytes) -> dict[str, Any]:
    table = json.loads(data)
    if not isinstance(table, dict):
        raise TypeError("not an object")
    return table


def _record(table: dict[str, Any]) -> Record:
    if table["schema"] != SCHEMA_VERSION:
        raise ValueError(f"schema {table['schema']!r}, known is {SCHEMA_VERSION}")
    sizes, seed, pir = table["sizes"], table["seed"], table["pir_version"]
    difference = table["difference"]
    sizes = None if sizes is None else (_natural(sizes[0]), _natural(sizes[1]))
    inputs = tuple(_input(entry) for entry in table["inputs"])
    if sizes is not None:
        _require_small(inputs, sizes)
    return Record(
        release=_text(table["release"]),
        format=_text(table["format"]),
        pir_version=None if pir is None else _whole(pir),
        device=_text(table["device"]),
        flags={_text(name): value for name, value in table["flags"].items()},
        inputs=inputs,
        files={_file_name(name): _stored_file(entry) for name, entry in table["files"].items()},
        outputs=tuple(_stored_array(entry) for entry in table["outputs"]),
        seed=None if seed is None else _natural(seed),
        sizes=sizes,
        sample_inputs=tuple(_stored_array(entry) for entry in table["sample_inputs"]),
        difference=None if difference is None else float(difference),
        remedies=tuple(_text(entry) for entry in table["remedies"]),
        warnings=tuple(_text(entry) for entry in table["warnings"]),
        compatload=_text(table["compatload"]),
        formats=tuple(_text(entry) for entry in table.get("formats", ())),
        untried=tuple(_text(entry) for entry in table.get("untried", ())),
        loaders=tuple(_loader(entry) for entry in table.get("loaders", ())),
    )


def _loader(entry: Mapping[str, Any]) -> Loader:
    difference = entry["difference"]
    return Loader(
        _text(entry["release"]),
        _text(entry["loader"]),
        _truth(entry["tried"]),
        _truth(entry["agrees"]),
        _text(entry["told"]),
        None if difference is None else float(difference),
    )


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} where true or false is wanted")
    return value


def _stored_file(entry: Mapping[str, Any]) -> StoredFile:
    return StoredFile(_natural(entry["size"]), _text(entry["sha256"]))


def _input(entry: Mapping[str, Any]) -> Mapping[str, object]:
    if _text(entry["dtype"]) not in (*_WIDTHS, "bfloat16"):
        raise ValueError(f"an input of type {entry['dtype']!r}")
    return {**entry, "shape": list(_shape(entry["shape"], least=-1))}


def _require_small(inputs: Sequence[Mapping[str, Any]], sizes: tuple[int, int]) -> None:
    """ValueError where the sample would take more memory than any that was recorded."""
    total = 0
    for entry in inputs:
        total += prod(
            sizes[axis > 0] if size < 0 else size for axis, size in enumerate(entry["shape"])
        )
    if total > MOST_SAMPLED:
        raise ValueError(f"a sample of {total} values, more than any has")


def _stored_array(entry: Mapping[str, Any]) -> StoredArray:
    dtype, shape = _text(entry["dtype"]), _shape(entry["shape"])
    step = _whole(entry["step"])
    if step < 1:
        raise ValueError("a step below one")
    try:
        values = base64.b64decode(_text(entry["values"]), validate=True)
    except binascii.Error as error:
        raise ValueError("values that are no base64") from error
    if dtype not in _WIDTHS:
        raise ValueError(f"an array of type {dtype!r}")
    if len(values) != -(-prod(shape) // step) * _WIDTHS[dtype]:
        raise ValueError(f"another number of values than {list(shape)} has")
    return StoredArray(dtype, shape, step, entry["values"])


def _natural(value: object) -> int:
    """Of a size or a seed: no tensor has more values, and numpy takes no larger ones."""
    number = _whole(value)
    if not 0 <= number < 1 << 63:
        raise ValueError("a negative or far too large number")
    return number


def _shape(sizes: Sequence[object], least: int = 0) -> tuple[int, ...]:
    if len(sizes) > MOST_AXES:
        raise ValueError(f"a shape of {len(sizes)} axes")
    return tuple(least if size == least else _natural(size) for size in sizes)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} where a text is wanted")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} where a whole number is wanted")
    return value


def _file_name(name: object) -> str:
    text = _text(name)
    if Path(text).name != text:
        raise ValueError(f"{text!r} is no plain file name")
    return text


def stored_file(path: str) -> StoredFile:
    """Size and hash of a file on disk."""
    with open_regular(path) as file:
        return StoredFile(file.size, file.sha256())


def changed_files(record: Record, folder: str) -> list[str]:
    """Names of recorded files that are missing in a folder or differ from what was saved."""
    changed = []
    for name, known in record.files.items():
        try:
            if stored_file(os.path.join(folder, name)) != known:
                changed.append(name)
        except ArtifactError:
            changed.append(name)
    return changed
