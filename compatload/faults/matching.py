"""Decide whether a rule applies. Pure: artifact and runtime in, matching operators out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from compatload.artifact.model import Artifact, Format, Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Cause, Condition, OperatorPattern, Rule
from compatload.faults.simplified import simplified
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.releases import PIR_VERSIONS
from compatload.runtime.model import PaddleBuild, Runtime
from compatload.runtime.predictor_config import PredictorConfig
from compatload.runtime.release import known_as, measured_as, release_of


@frozen
class Match:
    """A rule that applies, with the operators that made it so (empty: it needs none)."""

    rule: Rule
    operators: tuple[Operator, ...] = ()


DEFAULT_CONFIG = PredictorConfig()
_OF_ONEDNN = (Action.WITHOUT_ONEDNN, Action.DISABLE_ONEDNN, Action.REWRITE)
_OF_PASSES = (Action.DELETE_PASSES, *_OF_ONEDNN)


def matching_rules(
    rules: Iterable[Rule],
    artifact: Artifact,
    runtime: Runtime,
    api: Api,
    device: str,
    runs_as: Format | None = None,
    config: PredictorConfig = DEFAULT_CONFIG,
) -> tuple[Match, ...]:
    """The rules that apply to this load, in the order given.

    ``runs_as`` is the format of the program that Paddle gets; by default, what it has to be.
    """
    runs_as = run_format(artifact, runtime) if runs_as is None else runs_as.family
    is_simplified = api is Api.PREDICTOR and runs_as is Format.LEGACY and config.ir_optim
    graph = simplified(artifact) if is_simplified else Graph(artifact)
    matches = []
    seen_here = {rule for rule, present in measured_on(runtime, device).items() if present}
    for rule in rules:
        if not concerns(rule, config, runs_as):
            continue
        for condition in _whatever_release(rule, runtime) if rule.id in seen_here else rule.when:
            if (condition.new_ir > config.new_ir) or (condition.onednn > config.onednn):
                continue
            if condition.no_onednn and config.onednn:
                continue
            if condition.new_executor and config.new_executor is False:
                continue
            if condition.bfloat16 and config.precision != "bfloat16":
                continue
            if not applies_to_place(condition, artifact, runtime, api, device, runs_as):
                continue
            operators = found(condition.operators, graph)
            if operators or not condition.operators:
                matches.append(Match(rule, operators))
                break
    return tuple(matches)


def measured_on(runtime: Runtime, device: str) -> dict[str, bool]:
    """Rules that `compatload selftest` has found to be needed on a device here, or not."""
    kind = device.partition(":")[0]
    return {fact.rule: fact.present for fact in runtime.measured if fact.device == kind}


def _whatever_release(rule: Rule, runtime: Runtime) -> tuple[Condition, ...]:
    """The conditions of a rule that was seen here, where nobody knew it of this release."""
    paddle = runtime.paddle
    known = [one for one in rule.when if paddle and _holds_for(paddle, one.paddle or ">=0")]
    return tuple(known) or tuple(replace(one, paddle="") for one in rule.when)


def conditions_for(rule: Rule, version: str, api: Api) -> tuple[Condition, ...]:
    """The conditions of a rule that may hold for a Paddle version and an API; all of them where it
    was followed for what a self-test has found there."""
    known = tuple(
        one
        for one in rule.when
        if _holds(version, one.paddle) and (not one.apis or api in one.apis)
    )
    return known or rule.when


def concerns(rule: Rule, config: PredictorConfig, runs_as: Format) -> bool:
    """Whether a predictor of that Config does what the rule would keep it from.

    Measured on 2.6.2, 3.0.0, 3.2.2 and 3.3.1 with every network of the zoo that shows a fault.
    Without IR optimisation a legacy program gets neither passes nor oneDNN, a PIR program gets
    both; without oneDNN the general passes run. Kernels are the same under every Config.
    """
    if rule.action is Action.REWRITE and rule.cause is Cause.KERNELS:
        return True
    if runs_as is Format.LEGACY and not config.ir_optim:
        return rule.action not in _OF_PASSES
    if rule.action in _OF_ONEDNN:
        return config.onednn or rule.cause is Cause.PASSES
    return rule.action is not Action.DELETE_PASSES or any(map(config.runs, rule.parameters))


def may_hold(rule: Rule, runtime: Runtime) -> bool:
    """Whether some release of Paddle could have the fault on that build and CPU."""
    anywhere = (replace(one, paddle="", pir_mode=None) for one in rule.when)
    return any(applies_to_runtime(one, runtime) for one in anywhere)


def applies_to_runtime(condition: Condition, runtime: Runtime) -> bool:
    """Whether the parts of a condition that concern the installation and its CPU hold."""
    paddle = runtime.paddle
    return (
        (not condition.paddle or (paddle is not None and _holds_for(paddle, condition.paddle)))
        and (
            not condition.flavours or (paddle is not None and paddle.flavour in condition.flavours)
        )
        and (
            not condition.numpy
            or (runtime.numpy is not None and _within(runtime.numpy, condition.numpy))
        )
        and (not condition.architectures or runtime.cpu.architecture in condition.architectures)
        # An unknown CPU (no features at all) has everything: refusing it would be a guess.
        and (not runtime.cpu.features or condition.cpu_has <= runtime.cpu.features)
        and (
            not condition.cpu_lacks
            or (bool(runtime.cpu.features) and not condition.cpu_lacks <= runtime.cpu.features)
        )
        and (condition.pir_mode is None or condition.pir_mode == runtime.ir_mode.pir)
    )


def applies_to_place(
    condition: Condition,
    artifact: Artifact,
    runtime: Runtime,
    api: Api,
    device: str,
    runs_as: Format | None = None,
) -> bool:
    """Whether every part of a condition holds but the one that concerns operators."""
    runs_as = run_format(artifact, runtime) if runs_as is None else runs_as.family
    return (
        (not condition.apis or api in condition.apis)
        and (not condition.formats or artifact.format.family.value in condition.formats)
        and (not condition.runs_as or runs_as.value in condition.runs_as)
        and (not condition.devices or device.partition(":")[0] in condition.devices)
        and not (condition.pir_unknown and artifact.pir_version in PIR_VERSIONS)
        and not (condition.pir_newer and not _is_of_newer_release(artifact, runtime))
        and not (condition.parameterless and artifact.parameters)
        and not (condition.untrainable and artifact.trainable is not False)
        and (condition.stores is None or condition.stores(artifact.parameters))
        and applies_to_runtime(condition, runtime)
    )


def run_format(artifact: Artifact, runtime: Runtime) -> Format:
    """The format of the program that Paddle gets: a PIR one is converted for 2.x."""
    paddle = runtime.paddle
    if artifact.format is Format.PIR and paddle is not None and _holds_for(paddle, "<3.0"):
        return Format.LEGACY
    return artifact.format.family


def _holds_for(paddle: PaddleBuild, specifier: str) -> bool:
    """Whether what was measured on these releases holds for that Paddle."""
    return _holds(paddle.version, specifier)


def _holds(version: str, specifier: str) -> bool:
    """The same for a version of it."""
    try:
        return _within(measured_as(version), specifier)
    except InvalidVersion:
        return False


def _is_of_newer_release(artifact: Artifact, runtime: Runtime) -> bool:
    """Whether known releases write such a file, and all of them are newer than this Paddle."""
    version = artifact.pir_version
    if runtime.paddle is None or version is None or version not in PIR_VERSIONS:
        return False
    try:
        return version > (known_as(runtime.paddle.version).pir_version or 0)
    except InvalidVersion:
        return False


@lru_cache(maxsize=1024)  # a process asks the same of its releases at every load
def _within(version: str, specifier: str) -> bool:
    try:
        return SpecifierSet(specifier, prereleases=True).contains(release_of(version))
    except InvalidVersion:
        return False


def found(patterns: Sequence[OperatorPattern], graph: Graph) -> tuple[Operator, ...]:
    """The operators of a program that one of the patterns matches, in the program's order."""
    present = [pattern.names for pattern in patterns if graph.has(pattern.names)]
    if not present:  # of nearly all, which every load asks about
        return ()
    names = frozenset[str]().union(*present)
    return tuple(
        one
        for one in graph.named(names)
        if any(_matches(pattern, one, graph) for pattern in patterns)
    )


def _matches(pattern: OperatorPattern, operator: Operator, graph: Graph) -> bool:
    if bare_name(operator) not in pattern.names:
        return False
    held = ((operator.attributes.get(name), wanted) for name, wanted in pattern.attributes)
    return (
        all(value is not None and value == wanted for value, wanted in held)
        and (not pattern.feeds or _feeds(pattern, operator, graph))
        and (pattern.where is None or pattern.where(operator, graph))
    )


def _feeds(pattern: OperatorPattern, operator: Operator, graph: Graph) -> bool:
    return graph.leads(
        operator,
        lambda user: bare_name(user) in pattern.feeds,
        lambda user: bare_name(user) in pattern.through,
    )
