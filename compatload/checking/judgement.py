"""One model judged for a target: how it loads there, why, and what to do. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compatload.artifact import program_desc
from compatload.artifact.model import Artifact, Format
from compatload.checking.finding import Finding, LoaderVerdict, ModelVerdict, Severity, Way
from compatload.checking.prediction import Outcome, Prediction, predict
from compatload.checking.target import Target
from compatload.errors import CompatLoadError, ConversionError
from compatload.faults.catalogue import load_rules
from compatload.faults.model import Action
from compatload.faults.texts import rule_texts
from compatload.loading.preparation import prepare_without_paddle
from compatload.operators.registry import legacy_operators
from compatload.plan import Api, Plan, Strategy
from compatload.planning import plan_load
from compatload.programs.legacy_repairs.repair import repair
from compatload.runtime.model import Runtime

# Paddle's call and compatload's, by API.
CALLS: Mapping[Api, tuple[str, str]] = {
    Api.LAYER: ("paddle.jit.load", "compatload.safe_load"),
    Api.PROGRAM: (
        "paddle.static.load_inference_model",
        "compatload.safe_load_inference_model",
    ),
    Api.PREDICTOR: ("paddle.inference.create_predictor", "compatload.safe_create_predictor"),
}
_UNSEEN = " without an error"
_HAPPENS = {
    Outcome.ERROR: "fails",
    Outcome.CRASH: "kills or blocks the process",
    Outcome.WRONG: f"gives wrong numbers{_UNSEEN}",
}
_ANEW = "Save the model again with compatload.safe_save, in the Paddle that is to load it."
# Has AVX-512, which some machines lack that Paddle is made for.
_LARGER_CPU = "x86-64-v4"
# Places that a message spells out.
_MOST_NAMED = 3


def judge(artifact: Artifact, target: Target, path: str) -> tuple[ModelVerdict, list[Finding]]:
    """How the target loads the artifact through each of Paddle's loaders, and what is wrong."""
    runtime = target.runtime
    larger = None if target.cpu else replace(target, cpu=_LARGER_CPU).runtime
    predictions = {api: predict(artifact, runtime, api, target.device, larger) for api in Api}
    plans = {
        api: plan_load(
            artifact,
            runtime,
            api,
            device=target.device,
            trusted_operators=target.trusted_operators,
        )
        for api in Api
    }
    obstacles = _obstacles(artifact, runtime, plans)
    verdict = ModelVerdict(
        path=path,
        format=artifact.format.value,
        saved_by=artifact.saved_by,
        way=_way(predictions, plans, obstacles),
        loaders=tuple(_loader(predictions[api], plans[api]) for api in Api),
        obstacles=obstacles,
    )
    spared = _spared_by_cpu(artifact, predictions, target, larger)
    # What is refused through one loader and goes through another is told by that refusal.
    refused = {api for api in Api if plans[api].refusal} if verdict.way is not Way.NONE else set()
    alone = {api: one for api, one in predictions.items() if api not in refused}
    findings = [
        *_alone(alone, verdict, target, spared),
        *_refused(plans, verdict, target),
        *_told(plans, verdict, target),
    ]
    return verdict, findings


def _spared_by_cpu(
    artifact: Artifact,
    predictions: Mapping[Api, Prediction],
    target: Target,
    larger: Runtime | None,
) -> frozenset[Api]:
    """The loaders that fail on the CPU that is taken where none is named, and not on a larger."""
    if larger is None:
        return frozenset()
    failing = [one.api for one in predictions.values() if one.outcome is not Outcome.OK]
    told = (predict(artifact, larger, api, target.device) for api in failing)
    return frozenset(one.api for one in told if one.outcome is Outcome.OK)


def _loader(prediction: Prediction, plan: Plan) -> LoaderVerdict:
    return LoaderVerdict(
        api=prediction.api.value,
        alone=prediction.outcome.value,
        rule=prediction.rule,
        places=prediction.places,
        steps=tuple(step.strategy.value for step in plan.steps),
        rules=tuple(dict.fromkeys(rule for step in plan.steps for rule in step.rules)),
    )


def _way(
    predictions: Mapping[Api, Prediction], plans: Mapping[Api, Plan], obstacles: Sequence[str]
) -> Way:
    if all(one.outcome is Outcome.OK for one in predictions.values()):
        return Way.NATIVE
    if obstacles or all(plan.refusal for plan in plans.values()):
        return Way.NONE
    strategies = {step.strategy for plan in plans.values() for step in plan.needed}
    return Way.CONVERSION if Strategy.CONVERT in strategies else Way.COMPATLOAD


def _obstacles(artifact: Artifact, runtime: Runtime, plans: Mapping[Api, Plan]) -> tuple[str, ...]:
    """What keeps a load's first step from being carried out: all of it is tried but Paddle."""
    firsts = {
        (steps[0].strategy, steps[0].target): (api, steps[0])
        for api, plan in plans.items()
        if (steps := plan.needed)
    }
    release = runtime.paddle.version if runtime.paddle else ""
    try:
        for api, step in firsts.values():
            prepare_without_paddle(artifact, step, release, api)
    except ConversionError as error:
        return error.obstacles or (error.problem,)
    except CompatLoadError as error:
        return (error.problem.rstrip("."),)
    known = artifact.format is Format.PIR or not firsts
    return () if known else _unknown_after_repair(artifact, release)


def _unknown_after_repair(artifact: Artifact, release: str) -> tuple[str, ...]:
    """Legacy operators that neither the release has nor a repair replaces."""
    table = legacy_operators(release)
    found: list[str] = []
    for method, part in {"forward": artifact, **artifact.method_artifacts}.items():
        unknown = [one for one in part.program.operators if one.name not in table]
        if not unknown:
            continue
        changes = repair(
            program_desc.binary(part), release, decoded=part.program, path=part.path
        ).changes
        repaired = {change.position for change in changes}
        where = f"{method}: " if artifact.method_artifacts else ""
        found += (f"{where}{one.position}" for one in unknown if one.position not in repaired)
    return tuple(found)


def _alone(
    predictions: Mapping[Api, Prediction],
    verdict: ModelVerdict,
    target: Target,
    spared: frozenset[Api],
) -> list[Finding]:
    """One finding for each rule and outcome of Paddle's own loaders."""
    grouped: dict[tuple[str, Outcome, str], list[Prediction]] = {}
    for prediction in predictions.values():
        if prediction.rule is not None:
            by_cpu = "has no" if prediction.api in spared else ""
            by_cpu = "has" if prediction.by_larger_cpu else by_cpu
            key = (prediction.rule, prediction.outcome, by_cpu)
            grouped.setdefault(key, []).append(prediction)
    findings = []
    for (rule, outcome, by_cpu), several in grouped.items():
        calls = [CALLS[one.api][0] for one in several]
        places = list(dict.fromkeys(place for one in several for place in one.places))
        findings.append(
            Finding(
                rule=rule,
                severity=(
                    Severity.WARNING if by_cpu == "has no" else _severity(outcome, verdict.way)
                ),
                path=verdict.path,
                message=f"{' and '.join(calls)} {_happens(outcome, several)} on {target}"
                f"{f' where the CPU {by_cpu} AVX-512 (none was named)' if by_cpu else ''}: "
                f"{_title(rule)}{_named(places)}. It loads {verdict.way.value}.",
                action=_action(rule, [one.api for one in several], verdict),
                target=str(target),
            )
        )
    return findings


def _severity(outcome: Outcome, way: Way) -> Severity:
    """An exception that compatload spares is a warning, and so is what happens for some inputs;
    nobody notices the others in time."""
    spared = outcome is Outcome.ERROR and way is not Way.NONE
    return Severity.WARNING if spared or outcome is Outcome.OK else Severity.ERROR


def _happens(outcome: Outcome, several: Sequence[Prediction]) -> str:
    by_data = several[0].by_data
    words = _HAPPENS[by_data or outcome]
    if by_data is not None:
        words = f"{words.removesuffix(_UNSEEN)} for some inputs"
    if len(several) == 1:
        return words
    first, _, rest = words.partition(" ")
    plural = {"fails": "fail", "kills": "kill", "gives": "give"}[first]
    return f"{plural} {rest.replace('or blocks', 'or block')}".rstrip()


def _title(rule: str) -> str:
    text = rule_texts().get(rule)
    return text.title if text else rule


def _named(places: Sequence[str]) -> str:
    if not places:
        return ""
    more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
    return f", {', '.join(places[:_MOST_NAMED])}{more}"


def _action(rule: str, apis: Sequence[Api], verdict: ModelVerdict) -> str:
    if verdict.way is Way.NONE:
        return _ANEW
    told = next((one for one in load_rules() if one.id == rule), None)
    if told is not None and told.action is Action.TELL and told.advice:
        return told.advice  # no load does anything about it
    return f"Load it with {' or '.join(CALLS[api][1] for api in apis)}."


def _told(plans: Mapping[Api, Plan], verdict: ModelVerdict, target: Target) -> list[Finding]:
    """What callers of the model have to know, however it is loaded."""
    told = dict.fromkeys(
        one for plan in plans.values() if plan.refusal is None for one in plan.told
    )
    return [
        Finding(
            rule=rule.id,
            severity=Severity.NOTE,
            path=verdict.path,
            message=one.partition(". ")[0].replace(f" [{rule.id}]", "") + ".",
            action=rule.advice,
            target=str(target),
        )
        for one in told
        for rule in load_rules()
        if f"[{rule.id}]" in one
    ]


def _refused(plans: Mapping[Api, Plan], verdict: ModelVerdict, target: Target) -> list[Finding]:
    """That compatload cannot load it either; once for all APIs."""
    refusals = {
        (plan.refusal.rule, plan.refusal.problem, plan.refusal.action)
        for plan in plans.values()
        if plan.refusal is not None
    }
    findings = [
        Finding(
            rule=rule or "CL007",
            severity=Severity.ERROR,
            path=verdict.path,
            message=f"compatload refuses it on {target}: {problem}",
            action=action,
            target=str(target),
        )
        for rule, problem, action in sorted(refusals, key=lambda entry: entry[1])
    ]
    if verdict.obstacles:
        findings.append(
            Finding(
                rule="CL007",
                severity=Severity.ERROR,
                path=verdict.path,
                message=f"compatload cannot prepare it for {target}"
                f"{_named(verdict.obstacles).replace(',', ':', 1)}.",
                action=_ANEW,
                target=str(target),
            )
        )
    return findings
