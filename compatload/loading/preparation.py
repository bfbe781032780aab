"""Turn the inspected programs into those that a step loads: converted, repaired, translated.

All of it happens in memory; weights stay where they are, since every format keeps them in the
order of their sorted names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format
from compatload.artifact.program_desc import binary
from compatload.conversion.legacy_repairs import repair
from compatload.conversion.legacy_to_pir import translate_in_process, with_defaults
from compatload.conversion.pir_repairs import repaired
from compatload.loading.prepared import PreparedPrograms
from compatload.plan import Api, Step, Strategy


def prepare(artifact: Artifact, step: Step, paddle: ModuleType, api: Api) -> PreparedPrograms:
    """What ``step`` hands to Paddle's loader instead of the artifact's own programs.

    Raises ConversionError if a program cannot be converted for this Paddle.
    """
    if artifact.format is Format.PIR:
        return _prepare_pir(artifact, step, str(paddle.__version__))
    parts = {"forward": artifact, **artifact.method_artifacts}
    version = str(paddle.__version__)
    # A predictor runs a legacy program as such; layers and programs are translated at last.
    translated = api is not Api.PREDICTOR or step.strategy is Strategy.TRANSLATE
    legacy_parts = {
        name: repair(
            binary(part),
            version,
            translated=translated,
            without=step.unrepaired,
            decoded=part.program,
            path=part.files.program,
        )
        for name, part in parts.items()
    }
    rules = {change.rule for each in legacy_parts.values() for change in each.changes}
    repairs = tuple(sorted(rules))
    if step.strategy is not Strategy.TRANSLATE:
        legacy = {name: each.data for name, each in legacy_parts.items()}
        if step.strategy is Strategy.FILL_IN:
            legacy = {name: with_defaults(data) for name, data in legacy.items()}
        return PreparedPrograms(legacy, Format.LEGACY, repairs=repairs)
    as_pir = {
        name: translate_in_process(each.data, parts[name].trainable_parameters)
        for name, each in legacy_parts.items()
    }
    return PreparedPrograms(as_pir, Format.PIR, repairs=repairs)


def _prepare_pir(artifact: Artifact, step: Step, version: str) -> PreparedPrograms:
    whole, repairs = repaired(artifact, step.unrepaired)
    parts = {"forward": whole, **whole.method_artifacts}
    programs = {name: part.program_bytes for name, part in parts.items()}
    if step.strategy is not Strategy.CONVERT:
        return PreparedPrograms(programs, Format.PIR, repairs=repairs)
    if step.target == "legacy":
        return replace(_as_legacy(parts), repairs=repairs)
    from compatload.conversion.pir_versions import convert_pir_bytes

    converted = {name: convert_pir_bytes(data, version)[0] for name, data in programs.items()}
    return PreparedPrograms(converted, Format.PIR, repairs=repairs)


def _as_legacy(parts: Mapping[str, Artifact]) -> PreparedPrograms:
    from compatload.conversion.pir_to_legacy import info_of, pir_to_legacy

    converted = {
        name: pir_to_legacy(pir_json.parse(part.program_bytes, part.path), part.parameters)
        for name, part in parts.items()
    }
    return PreparedPrograms(
        {name: legacy.program for name, legacy in converted.items()},
        Format.LEGACY,
        # jit.load of 2.6 reads the one of forward for all methods.
        {"forward": info} if (info := info_of(converted.values())) else {},
    )
