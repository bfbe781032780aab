"""Turn the inspected programs into those that a step loads: converted, repaired, translated.

All of it happens in memory; weights stay where they are, since every format keeps them in the
order of their sorted names.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from compatload.artifact.model import Artifact, Format
from compatload.artifact.program_desc import binary
from compatload.loading.prepared import PreparedPrograms
from compatload.plan import Api, Step, Strategy
from compatload.programs import layouts
from compatload.programs.legacy_repairs import lists_kept, output_order, whole_programs
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.legacy_to_pir import translate_in_process, with_defaults
from compatload.programs.pir_repairs import OF_PIR_ALONE, repaired

_HALVES = "CL122"  # of 3.x, which the conversion rounds as they are


def prepare(artifact: Artifact, step: Step, paddle: ModuleType, api: Api) -> PreparedPrograms:
    """What ``step`` hands to Paddle's loader instead of the artifact's own programs.

    Raises ConversionError if a program cannot be converted for this Paddle.
    """
    version = str(paddle.__version__)
    made = prepare_without_paddle(artifact, step, version, api)
    if step.strategy is Strategy.FILL_IN:
        made = replace(made, programs={n: with_defaults(d) for n, d in made.programs.items()})
    elif step.strategy is Strategy.TRANSLATE:
        parts = {"forward": artifact, **artifact.method_artifacts}
        as_pir = {
            name: translate_in_process(data, parts[name].trainable_parameters)
            for name, data in made.programs.items()
        }
        made = replace(made, programs=as_pir, format=Format.PIR)
    return _with_kept_layout(made, step, version)


def _with_kept_layout(made: PreparedPrograms, step: Step, version: str) -> PreparedPrograms:
    """Of what is loaded, at last: other releases do not know what says so."""
    if layouts.RULE in step.unrepaired:
        return made
    kept = {n: layouts.kept(data, made.format, version) for n, data in made.programs.items()}
    if all(kept[name] is data for name, data in made.programs.items()):
        return made
    return replace(made, programs=kept, repairs=tuple(sorted({*made.repairs, layouts.RULE})))


def prepare_without_paddle(
    artifact: Artifact, step: Step, version: str, api: Api
) -> PreparedPrograms:
    """All that ``prepare`` does before it asks Paddle ``version`` to translate, or to fill in.

    Raises ConversionError if a program cannot be converted for this Paddle.
    """
    if step.rewritten:
        # Few loads need it, and what it imports.
        from compatload.programs.rewritten import rewritten

        artifact = rewritten(artifact, step.rewritten, version, api)
    if artifact.format is Format.PIR:
        return _prepare_pir(artifact, step, version)
    parts = {"forward": artifact, **artifact.method_artifacts}
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
    programs = {name: each.data for name, each in legacy_parts.items()}
    if api is Api.LAYER and version.startswith("2.") and output_order.RULE not in step.unrepaired:
        for name, part in parts.items():
            if output_order.is_mixed(part.outputs):
                programs[name] = output_order.ordered(programs[name])
                rules.add(output_order.RULE)
    for name, part in parts.items():
        programs[name], changed = whole_programs.sound(
            *(programs[name], part),
            translated=translated and not version.startswith("2."),
            without=step.unrepaired,
        )
        rules |= changed
    return PreparedPrograms(programs, Format.LEGACY, repairs=tuple(sorted(rules)))


def with_emptied_lists(
    made: PreparedPrograms, step: Step, version: str, api: Api
) -> PreparedPrograms:
    """For ``version``, behind the cache: programs of one conversion serve layers, too."""
    if (
        made.format is Format.PIR
        or api is not Api.PROGRAM
        or not version.startswith("2.")
        or lists_kept.RULE in step.unrepaired
    ):
        return made
    programs = {name: lists_kept.emptied(data) for name, data in made.programs.items()}
    if all(programs[name] is data for name, data in made.programs.items()):
        return made
    return replace(made, programs=programs, repairs=tuple(sorted({*made.repairs, lists_kept.RULE})))


def _prepare_pir(artifact: Artifact, step: Step, version: str) -> PreparedPrograms:
    as_legacy = step.target == "legacy"
    unneeded = OF_PIR_ALONE if as_legacy else ()
    whole, repairs = repaired(artifact, (*step.unrepaired, *unneeded))
    if step.strategy is not Strategy.CONVERT:
        parts = {"forward": whole, **whole.method_artifacts}
        programs = {name: part.program_bytes for name, part in parts.items()}
        return PreparedPrograms(programs, Format.PIR, repairs=repairs)
    # Most loads need neither, nor what they import.
    from compatload.programs.make import convert_pir_programs
    from compatload.programs.target import ProgramTarget, target_of

    target = target_of("legacy", None) if as_legacy else ProgramTarget("pir", Format.PIR, version)
    converted = convert_pir_programs(whole, target)
    if as_legacy and not version.startswith("2."):
        # A program of 2.6's operators, which this release reads otherwise where a factor is.
        made = {
            name: repair(data, version, translated=False, without=(*step.unrepaired, _HALVES))
            for name, data in converted.programs.items()
        }
        converted = replace(converted, programs={name: one.data for name, one in made.items()})
    return PreparedPrograms(converted.programs, target.format, converted.infos, repairs)
