"""Batch normalisations of a PIR program, put into the weights of the convolutions before them.

Paddle does the same each time a predictor is made, an operator at a time: 371 of them for
ResNet-50, at 3 ms each (3.0.0 to 3.3.1). The arithmetic here is its own, in its order, so that
the weights are the very same numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compatload.artifact import pir_json
from compatload.artifact.files import reopened
from compatload.artifact.model import Artifact, Format, Parameter
from compatload.artifact.params import record_header
from compatload.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")
_NORMALISATION = "batch_norm"
_PLAIN = {"#": "0.a_array", "D": [{"#": "0.a_bool", "D": False}]}


@frozen
class _Pair:
    """A convolution's weight and the normalisation after it: names of parameters."""

    weight: str
    mean: str
    variance: str
    scale: str
    bias: str
    epsilon: float


@frozen
class FoldOutcome:
    """How many normalisations were folded, and a sum over the bits of all numbers that were made.

    The same weights give another sum where something differs in how this process computes: a
    library may have switched off numbers below 1e-38 for all of it.
    """

    count: int = 0
    bits: int = 0


def fold(artifact: Artifact, directory: Path) -> FoldOutcome:
    """Write ``model.json`` and ``model.pdiparams`` to ``directory``.

    Nothing is written where there is nothing to fold. Raises DamagedArtifactError if the weights
    changed since they were inspected.
    """
    if artifact.format is not Format.PIR or not artifact.files.parameters_combined:
        return FoldOutcome()
    tree = pir_json.parse(artifact.program_bytes)
    regions = tree["program"]["regions"]
    if len(regions) != 1 or len(regions[0]["blocks"]) != 1:
        return FoldOutcome()
    block = regions[0]["blocks"][0]
    if any(one.get("regions") for one in block["ops"]):
        return FoldOutcome()  # what is inside reads values, too
    stored = {one.name: one for one in artifact.parameters}
    pairs = _Program(block["ops"], stored).fold()
    if not pairs:
        return FoldOutcome()
    gone = {name for one in pairs for name in (one.mean, one.variance, one.scale)}
    block["ops"] = [one for one in block["ops"] if one["#"] != "p" or one["A"][3] not in gone]
    (directory / "model.json").write_text(json.dumps(tree, separators=(",", ":")))
    bits = 0
    with (directory / "model.pdiparams").open("xb") as file:
        for header, data, made in _folded(artifact, pairs, gone):
            file.write(header)
            file.write(data)
            bits += made
    return FoldOutcome(len(pairs), bits)


class _Program:
    """The operators of a program of one block."""

    def __init__(self, operators: list[dict[str, Any]], stored: Mapping[str, Parameter]) -> None:
        self._operators = operators
        self._stored = stored
        self._parameters = {one["O"]["%"]: one for one in operators if one["#"] == "p"}
        others = [one for one in operators if one["#"] != "p"]
        self._reads = Counter(read["%"] for one in others for read in one.get("I", ()))
        self._makers = {made["%"]: one for one in others for made in one.get("O", ())}

    def fold(self) -> list[_Pair]:
        """Turn each normalisation that can be folded into the addition of its bias."""
        found = []
        for operator in self._operators:
            pair = self._pair(operator) if _name(operator) == _NORMALISATION else None
            if pair is not None:
                found.append(pair)
                self._become_addition(operator)
        return found

    def _pair(self, norm: Mapping[str, Any]) -> _Pair | None:
        told = _attributes(norm)
        fixed = told.get("is_test") or told.get("use_global_stats")
        if not fixed or told.get("trainable_statistics") or told.get("data_format") != "NCHW":
            return None
        if any(self._reads[made["%"]] for made in norm["O"][1:]) or len(norm["I"]) != 5:
            return None
        made, *rest = (one["%"] for one in norm["I"])
        maker = self._makers.get(made)
        if maker is None or self._reads[made] != 1 or _name(maker) not in _CONVOLUTIONS:
            return None
        if _attributes(maker).get("data_format") != "NCHW":
            return None
        names = [self._own(one) for one in (maker["I"][1]["%"], *rest)]
        weight, mean, variance, scale, bias = names
        if not (weight and mean and variance and scale and bias):
            return None
        return _Pair(weight, mean, variance, scale, bias, float(told["epsilon"]))

    def _own(self, value: int) -> str | None:
        """The name of a float32 parameter that is read once."""
        parameter = self._parameters.get(value)
        if parameter is None or self._reads[value] != 1:
            return None
        stored = self._stored.get(parameter["A"][3])
        return stored.name if stored is not None and stored.dtype == "float32" else None

    def _become_addition(self, norm: dict[str, Any]) -> None:
        made, bias = norm["I"][0], norm["I"][4]
        shape = self._parameters[bias["%"]]["O"]["TT"]["D"]
        shape[1] = [1, *shape[1], 1, 1]
        norm["#"] = norm["#"].partition(".")[0] + ".add"
        norm["A"] = [one for one in norm["A"] if one["N"] == "struct_name"]
        norm["I"], norm["O"] = [made, bias], norm["O"][:1]
        norm["OA"] = [{"AT": _PLAIN, "N": "stop_gradient"}]


def _name(operator: Mapping[str, Any]) -> str:
    return str(operator["#"]).rpartition(".")[2].rstrip("_")


def _attributes(operator: Mapping[str, Any]) -> dict[str, Any]:
    return {one["N"]: one["AT"].get("D") for one in operator["A"]}


def _folded(
    artifact: Artifact, pairs: list[_Pair], gone: set[str]
) -> Iterator[tuple[bytes, bytes, int]]:
    """The records of all parameters that are left, in the file's order: head, data, and the sum of
    the bits of what was made."""
    import numpy

    weights = artifact.files.parameters[0]
    (identity,) = (one for one in artifact.identities if one.path == weights)
    stored = {one.name: one for one in artifact.parameters}
    pair_of = {name: one for one in pairs for name in (one.weight, one.bias)}
    with reopened(identity) as file:

        def raw(name: str) -> bytes:
            return file.read_at(stored[name].offset or 0, stored[name].nbytes or 0)

        def array(name: str) -> Array:
            return numpy.frombuffer(raw(name), "<f4").reshape(stored[name].shape)

        for parameter in artifact.parameters:
            name, pair = parameter.name, pair_of.get(parameter.name)
            if pair is None:
                if name not in gone:
                    yield record_header(parameter), raw(name), 0
                continue
            deviation = numpy.sqrt(array(pair.variance) + numpy.float32(pair.epsilon))
            factor = array(pair.scale) / deviation
            if name == pair.weight:
                made = array(name) * factor.reshape(-1, 1, 1, 1)
            else:
                made = (array(name) - array(pair.mean) * factor).reshape(1, -1, 1, 1)
            bits = int(made.view("<u4").sum(dtype="<u8"))
            yield record_header(Parameter(name, "float32", made.shape)), made.tobytes(), bits
