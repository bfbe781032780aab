"""The programs of one artifact, every method of it, as another format or release has them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import partial

from packaging.version import Version

from compatload.artifact import pir_json, program_desc
from compatload.artifact.model import Artifact, Format, TensorSpec
from compatload.errors import ConversionError
from compatload.faults.bounds import bounds
from compatload.faults.graph import Graph
from compatload.frozen import frozen
from compatload.programs.legacy_defaults import with_defaults
from compatload.programs.legacy_repairs.program import LegacyChange
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.legacy_repairs.whole_programs import sound
from compatload.programs.pir_changes import Change, collected
from compatload.programs.pir_parameters import with_unused_parameter
from compatload.programs.pir_to_legacy.convert import info_of, pir_to_legacy
from compatload.programs.pir_versions import convert_pir_bytes
from compatload.programs.target import ProgramTarget
from compatload.programs.translation_process import legacy_to_pir
from compatload.runtime.release import release_of

_FETCH = "1.fetch"
_VARIABLE = re.compile(r" \([^()]*\)$")
# 3.0's predictor refuses every program without weights (rule CL210).
_PARAMETERLESS = Version("3.1.0")


@frozen
class ConvertedPrograms:
    """Serialised programs by method (``"forward"`` is the model itself).

    ``infos`` holds, by method, a ``.pdiparams.info`` that the source did not have; ``weights`` are
    those of a program that got a parameter because the release wants one.
    """

    programs: Mapping[str, bytes]
    infos: Mapping[str, bytes] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    weights: bytes | None = None


def convert_programs(
    artifact: Artifact, target: ProgramTarget, interpreter: str | None = None
) -> ConvertedPrograms:
    """Every program of ``artifact`` for ``target``, in memory.

    Args:
        interpreter: the Python whose Paddle translates legacy programs to PIR.

    Raises:
        ConversionError: with every obstacle of every method.
        DamagedArtifactError: a program does not hang together.
        PaddleNotFoundError: a translation is needed, and there is no Paddle.
    """
    parts = {"forward": artifact, **artifact.method_artifacts}
    if artifact.format is Format.PIR:
        converted = convert_pir_programs(artifact, target)
    elif target.format is Format.LEGACY:
        converted = _legacy_to_legacy(parts, target)
    else:
        converted = _legacy_to_pir(parts, target, interpreter)
    return _with_parameter(parts, target, converted)


def convert_pir_programs(artifact: Artifact, target: ProgramTarget) -> ConvertedPrograms:
    """Every program of a PIR artifact for ``target``, for a loader that knows of its weights.

    Raises what ``convert_programs`` raises.
    """
    parts = {"forward": artifact, **artifact.method_artifacts}
    convert = _pir_to_legacy if target.format is Format.LEGACY else _pir_to_pir
    return convert(parts, target)


def _pir_to_pir(parts: Mapping[str, Artifact], target: ProgramTarget) -> ConvertedPrograms:
    obstacles = _Obstacles(parts)
    programs: dict[str, bytes] = {}
    changes: Counter[tuple[str, str]] = Counter()
    for method, part in parts.items():
        with obstacles.of(method):
            programs[method], made = convert_pir_bytes(part.program_bytes, target.release)
            changes.update({(one.operator, one.what): one.count for one in made})
    obstacles.tell()
    return ConvertedPrograms(programs, changes=collected(changes))


def _pir_to_legacy(parts: Mapping[str, Artifact], target: ProgramTarget) -> ConvertedPrograms:
    obstacles = _Obstacles(parts)
    converted = {}
    for method, part in parts.items():
        with obstacles.of(method):
            program = pir_json.parse(part.program_bytes, part.path)
            from_zero = partial(_is_from_zero, Graph(part))
            converted[method] = pir_to_legacy(program, part.parameters, from_zero)
    obstacles.tell()
    info = info_of(converted.values())
    operators = sum(len(part.program.operators) for part in parts.values())
    return ConvertedPrograms(
        {method: legacy.program for method, legacy in converted.items()},
        # jit.load of 2.6 reads the one of forward for all methods.
        {"forward": info} if info else {},
        (Change("", f"{operators} PIR operators written as those of Paddle 2.6"),),
    )


def _is_from_zero(graph: Graph, value: int) -> bool:
    return bounds(graph, f"%{value}").from_zero


def _legacy_to_legacy(parts: Mapping[str, Artifact], target: ProgramTarget) -> ConvertedPrograms:
    programs: dict[str, bytes] = {}
    changes: Counter[tuple[str, str]] = Counter()
    for method, part in parts.items():
        repaired = repair(
            sound(program_desc.binary(part), part, translated=False)[0],
            target.release,
            path=part.files.program,
        )
        programs[method], filled = with_defaults(repaired.data, target.release)
        changes.update({(one.operator, one.what): one.count for one in filled})
        changes.update({(one.operator, one.what): one.count for one in _counted(repaired.changes)})
    return ConvertedPrograms(programs, changes=collected(changes))


def _legacy_to_pir(
    parts: Mapping[str, Artifact], target: ProgramTarget, interpreter: str | None
) -> ConvertedPrograms:
    obstacles = _Obstacles(parts)
    programs: dict[str, bytes] = {}
    changes: Counter[tuple[str, str]] = Counter()
    for method, part in parts.items():
        with obstacles.of(method):
            translated = legacy_to_pir(
                sound(program_desc.binary(part), part, translated=True)[0],
                trainable=part.trainable_parameters,
                interpreter=interpreter,
            )
            changes["", f"translated by Paddle {translated.paddle}"] = 1
            changes.update(
                {(one.operator, one.what): one.count for one in _counted(translated.changes)}
            )
            named = _with_output_names(translated.data, part.outputs)
            programs[method], made = convert_pir_bytes(named, target.release)
            changes.update({(one.operator, one.what): one.count for one in made})
    obstacles.tell()
    return ConvertedPrograms(programs, changes=collected(changes))


def _with_output_names(data: bytes, outputs: Iterable[TensorSpec]) -> bytes:
    """The translated program with the names that the legacy program's outputs had."""
    program = pir_json.parse(data)
    names = {column: spec.name for column, spec in enumerate(outputs)}
    for operator in program["program"]["regions"][0]["blocks"][0]["ops"]:
        if operator["#"] == _FETCH:
            attributes = {one["N"]: one["AT"] for one in operator["A"]}
            attributes["name"]["D"] = names[attributes["col"]["D"]]
    return json.dumps(program, separators=(",", ":"), ensure_ascii=False).encode()


def _with_parameter(
    parts: Mapping[str, Artifact], target: ProgramTarget, converted: ConvertedPrograms
) -> ConvertedPrograms:
    if target.format is not Format.PIR or release_of(target.release) >= _PARAMETERLESS:
        return converted
    file = parts["forward"].files.parameters
    if any(part.parameters and part.files.parameters == file for part in parts.values()):
        return converted
    program, weights = with_unused_parameter(converted.programs["forward"])
    change = Change("", f"a parameter that nothing reads: Paddle {target.release} wants one")
    return ConvertedPrograms(
        {**converted.programs, "forward": program},
        changes=(*converted.changes, change),
        weights=weights,
    )


def _counted(repairs: Iterable[LegacyChange]) -> tuple[Change, ...]:
    """Repairs of the same kind as one change each, whichever variable they made."""
    return collected(
        Counter(
            (
                one.position.partition(" ")[0],
                f"{_VARIABLE.sub('', one.description)} [{one.rule}]",
            )
            for one in repairs
        )
    )


class _Obstacles:
    """What stands in the way of each method, told at once."""

    def __init__(self, parts: Mapping[str, Artifact]) -> None:
        self._path = parts["forward"].path
        self._many = len(parts) > 1
        self._met: list[ConversionError] = []
        self._listed: list[str] = []
        self._method = ""

    def of(self, method: str) -> _Obstacles:
        self._method = method
        return self

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, ConversionError):
            return False
        self._met.append(error)
        where = f"{self._method}: " if self._many else ""
        self._listed += [f"{where}{one}" for one in error.obstacles or (error.problem,)]
        return True

    def tell(self) -> None:
        """Raise ConversionError if there was any."""
        if self._met:
            first = self._met[0]
            raise ConversionError(
                first.problem, obstacles=self._listed, action=first.action, artifact=self._path
            ) from first
