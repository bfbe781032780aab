"""Decide how an artifact is loaded: pure, no files, no Paddle.

A plan is an ordered list of steps. Loading carries out the first and goes on to the next only if
one fails. A plan without steps is a refusal, and says which error it stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from packaging.version import InvalidVersion

from compatload.artifact.model import Artifact, Format
from compatload.errors import CompatLoadError
from compatload.faults.catalogue import load_rules
from compatload.faults.cl150_sequences import RULE as SEQUENCES
from compatload.faults.cl150_sequences import sequence_inputs
from compatload.faults.cl215_aligned_addition import RULE as ALIGNED_ADDITION
from compatload.faults.cl232_overwritten import RULE as OVERWRITTEN
from compatload.faults.cl236_passes_of_new_executor import RULE as PASSES_COME_BACK
from compatload.faults.cl241_changed_in_loop import FOLDING_PASS
from compatload.faults.cl264_layer_read_in_block import RULE as READ_IN_BLOCK
from compatload.faults.cl266_constants_of_a_run import RULE as CONSTANTS_OF_A_RUN
from compatload.faults.cl504_no_paddle import RULE as NO_PADDLE
from compatload.faults.cl505_no_device import RULE as NO_DEVICE
from compatload.faults.cl507_too_old import RULE as TOO_OLD
from compatload.faults.cl640_bfloat16_of_handles import RULE as HALF_OUTPUTS
from compatload.faults.graph import bare_name
from compatload.faults.matching import DEFAULT_CONFIG, Match, matching_rules, measured_on
from compatload.faults.model import Action, Rule
from compatload.faults.onednn import PASSES_OF, PLACEMENT_PASS
from compatload.operators.admission import UNKNOWN, require_admissible
from compatload.operators.registry import legacy_operators
from compatload.operators.support import leaves_attributes_out, unsupported_operators
from compatload.plan import Api, Plan, PredictorOptions, Refusal, Step, Strategy
from compatload.programs import python_layers
from compatload.releases import NEWEST_LEGACY, OLDEST
from compatload.runtime.devices import usable_devices
from compatload.runtime.model import Runtime
from compatload.runtime.paddle_build import SHADOWS
from compatload.runtime.predictor_config import PredictorConfig
from compatload.runtime.release import inferred_from, is_too_old, release_of


def plan_load(
    artifact: Artifact,
    runtime: Runtime,
    api: Api | str,
    *,
    device: str | None = None,
    disabled_rules: Iterable[str] = (),
    trusted_operators: Collection[str] = (),
    config: PredictorConfig | None = None,
) -> Plan:
    """How to load ``artifact`` in ``runtime`` through ``api``.

    Args:
        api: ``"layer"``, ``"program"`` or ``"predictor"``.
        device: Paddle's own strings (``"cpu"``, ``"gpu:0"`` …), ``"auto"``, or None for what
            Paddle would take by itself.
        disabled_rules: ids of rules to leave out, to see what happens without them.
        trusted_operators: exact names of operators that are let in whatever they do.
        config: what a predictor is asked for; None: what Paddle does by itself. What of it would
            break the model is overridden, and the step says why.

    Pure: neither reads files nor imports paddle. Raises ValueError for an unknown api.
    """
    api = Api(api)
    asked = config or DEFAULT_CONFIG
    device = device or (config.device if config else None)
    chosen, unavailable = choose_device(runtime, device, api)
    plan = Plan(
        artifact=artifact.path,
        format=artifact.format.value,
        saved_by=artifact.saved_by,
        runtime=describe(runtime),
        api=api,
        device=chosen,
        config=config,
    )
    if runtime.paddle is None:
        return replace(plan, refusal=_without_paddle(runtime))
    if is_too_old(runtime.paddle.version):
        return replace(plan, refusal=_too_old(runtime.paddle.version))
    plan = replace(plan, inferred_from=inferred_from(runtime.paddle.version))
    disabled = frozenset(disabled_rules)
    try:
        artifact = _admitted(artifact, trusted_operators, disabled)
    except CompatLoadError as error:
        told = Refusal(type(error).__name__, error.problem, error.action, error.rule)
        return replace(plan, refusal=told)
    followed = [rule for rule in load_rules(api) if rule.id not in disabled]
    present = measured_on(runtime, chosen)
    gone = [rule for rule in followed if rule.measurable and present.get(rule.id) is False]
    disabled = disabled.union(rule.id for rule in gone)
    rules = [rule for rule in followed if rule.id not in disabled] if gone else followed
    matches = matching_rules(rules, artifact, runtime, api, chosen, config=asked)
    needless = matching_rules(gone, artifact, runtime, api, chosen, config=asked) if gone else ()
    plan = replace(plan, measured=_measured(matches, needless, runtime, chosen))
    refusal = _refusal(matches, runtime) or unavailable
    if refusal:
        return replace(plan, refusal=refusal)
    plan = replace(
        plan,
        notes=tuple(_note(one) for one in matches if _is_noted(one)),
        told=_told(matches, artifact),
    )
    repairs = {rule.id for rule in load_rules(api) if rule.action is Action.REPAIR}
    unrepaired = tuple(sorted(repairs & disabled))
    matches = _completed(_needed(matches, asked), rules)
    steps = _steps(matches, artifact, api, config, runtime.paddle.version)
    reasons = _against_pir(matches, artifact, api)
    if reasons:
        as_legacy = matching_rules(rules, artifact, runtime, api, chosen, Format.LEGACY, asked)
        legacy = _as_legacy(reasons, _needed(as_legacy, asked), artifact, config)
        if any(rule.action is Action.AS_LEGACY for rule in reasons):
            steps = (legacy,)
        # Else it is no faster than PIR without those passes.
        elif legacy.options.onednn and asked.onednn and asked.ir_optim:
            steps = (legacy, *steps)
    refusal = _lacking(artifact, runtime.paddle.version, steps[0], trusted_operators)
    if refusal:
        return replace(plan, refusal=refusal)
    return replace(plan, steps=tuple(replace(step, unrepaired=unrepaired) for step in steps))


# What a rule is about comes of passes that others leave out.
_WHERE_LEFT_OUT = {READ_IN_BLOCK.id: PLACEMENT_PASS, CONSTANTS_OF_A_RUN.id: FOLDING_PASS}


def _needed(matches: tuple[Match, ...], config: PredictorConfig) -> tuple[Match, ...]:
    """Without the rules for passes that are left out, where none is that they are about."""
    needless = {rule for rule, left in _WHERE_LEFT_OUT.items() if not _leaves_out(matches, left)}
    actions = {match.rule.action for match in matches if match.rule.id not in needless}
    onednn = config.onednn and Action.DISABLE_ONEDNN not in actions
    if onednn or Action.DELETE_PASSES not in actions:
        needless.add(PASSES_COME_BACK.id)
    return tuple(match for match in matches if match.rule.id not in needless)


def _leaves_out(matches: tuple[Match, ...], passes: tuple[str, ...]) -> bool:
    return any(
        match.rule.action is Action.DELETE_PASSES
        and not set(passes).isdisjoint(match.rule.parameters)
        for match in matches
    )


def _completed(matches: tuple[Match, ...], rules: Sequence[Rule]) -> tuple[Match, ...]:
    """With the rule for overwritten values, where the placement pass is left out.

    What oneDNN ran computes in place then, and the layers that are fused stay in oneDNN: of
    ``y = x @ w + b; exp(y) + y`` the second ``y`` is the exponential, on 3.0.0, 3.2.2 and 3.3.1.
    """
    present = any(match.rule is OVERWRITTEN for match in matches)
    if present or not _leaves_out(matches, PLACEMENT_PASS) or OVERWRITTEN not in rules:
        return matches
    return (*matches, Match(OVERWRITTEN, ()))


def _measured(
    matches: Sequence[Match], needless: Sequence[Match], runtime: Runtime, device: str
) -> tuple[str, ...]:
    known = measured_on(runtime, device)
    present = (match.rule.id for match in matches if known.get(match.rule.id))
    return (*present, *(f"-{match.rule.id}" for match in needless))


def choose_device(runtime: Runtime, device: str | None, api: Api) -> tuple[str, Refusal | None]:
    """The device a load will use, and a refusal if the one asked for cannot be had.

    None means what Paddle takes by itself: a predictor made from a path runs on the CPU, a layer
    or program on the accelerator of the build if the machine has one.
    """
    usable = usable_devices(runtime.paddle, runtime.devices)
    if device is None:
        accelerated = usable and api is not Api.PREDICTOR
        return (_paddle_name(usable[0].kind) if accelerated else "cpu"), None
    kind, _, index = device.partition(":")
    if kind == "auto":
        return (_paddle_name(usable[0].kind) if usable else "cpu"), None
    if kind == "cpu":
        return "cpu", None
    wanted = [found for found in usable if _same_kind(found.kind, kind)]
    if wanted and (not index or any(str(found.index) == index for found in wanted)):
        return device, None
    present = ", ".join(f"{found.kind}:{found.index}" for found in usable) or "none"
    return device, Refusal(
        error=NO_DEVICE.error,
        problem=(
            f"device {device!r} is not available: {describe(runtime)}; "
            f"accelerators this build can use here: {present}"
        ),
        action=NO_DEVICE.advice,
        rule=NO_DEVICE.id,
    )


def describe(runtime: Runtime) -> str:
    """The installation in a few words, for messages: ``"paddlepaddle 3.3.1 (cpu)"``."""
    if runtime.paddle is None:
        return "no Paddle"
    return f"{runtime.paddle.distribution} {runtime.paddle.version} ({runtime.paddle.flavour})"


def _same_kind(present: str, asked: str) -> bool:
    return present == asked or _paddle_name(present) == asked


def _paddle_name(kind: str) -> str:
    # Paddle drives AMD GPUs and Hygon DCUs through its gpu device.
    return "gpu" if kind in ("dcu", "rocm") else kind


_NO_PADDLE = Refusal(
    error=NO_PADDLE.error,
    problem="no Paddle is installed in this environment",
    action=NO_PADDLE.advice,
    rule=NO_PADDLE.id,
)


def _without_paddle(runtime: Runtime) -> Refusal:
    hidden = next((note for note in runtime.notes if SHADOWS in note), None)
    if hidden is None:
        return _NO_PADDLE
    return replace(
        _NO_PADDLE,
        problem=f"Paddle cannot be imported: {hidden}",
        action="Rename that file, or start Python in another directory.",
    )


def _too_old(version: str) -> Refusal:
    return Refusal(
        error=TOO_OLD.error,
        problem=f"paddle {version} is older than the oldest that is supported, {OLDEST}",
        action=TOO_OLD.advice,
        rule=TOO_OLD.id,
    )


# Positions that a message spells out; a long list helps nobody.
_MOST_NAMED = 5


def _refusal(matches: Sequence[Match], runtime: Runtime) -> Refusal | None:
    for match in matches:
        if not _refuses(match.rule, runtime):
            continue
        about_cpu = match.rule.error == "CpuUnsupportedError"
        subject = _cpu(runtime) if about_cpu else describe(runtime)
        return Refusal(
            error=match.rule.error,
            problem=f"{match.rule.title}: {subject}. {match.rule.explanation}",
            action=match.rule.advice,
            rule=match.rule.id,
        )
    return None


def _refuses(rule: Rule, runtime: Runtime) -> bool:
    if rule.action is Action.ZLIB_FIRST:
        return runtime.zlib_late
    return rule.action is Action.REFUSE


def _is_noted(match: Match) -> bool:
    return match.rule.action is Action.ZLIB_FIRST


def _note(match: Match) -> str:
    return f"{match.rule.title} [{match.rule.id}]: works, since zlib is imported before paddle"


def _told(matches: Iterable[Match], artifact: Artifact) -> tuple[str, ...]:
    """What callers have to know: which inputs they must give lengths of sequences, and which
    outputs are of another type than the program says."""
    told = []
    for match in matches:
        if match.rule is SEQUENCES:
            inputs = sequence_inputs(artifact).items()
            named = ", ".join(name for name, one in inputs if one.needed)
        elif match.rule is HALF_OUTPUTS:
            named = f"{len(match.operators)}, given in float32"
        else:
            continue
        told.append(f"{match.rule.title} [{match.rule.id}]: {named}. {match.rule.advice}")
    return tuple(told)


def _admitted(
    artifact: Artifact, trusted_operators: Collection[str], disabled: Collection[str]
) -> Artifact:
    """``artifact`` as rules are to see it, whose blocks are those of loops and branches only."""
    written_out = python_layers.RULE not in disabled
    require_admissible(artifact, trusted_operators, written_out=written_out)
    return python_layers.written_out(artifact) if written_out else artifact


def _lacking(
    artifact: Artifact, version: str, step: Step, trusted_operators: Collection[str]
) -> Refusal | None:
    """Paddle follows a null pointer where a PIR file names an operator that it does not have."""
    if step.strategy is Strategy.CONVERT:
        return None
    # What older releases had and this one has not is replaced by others.
    if artifact.format is not Format.PIR and not _is_newer(artifact.saved_by, version):
        return None
    parts = (artifact, *artifact.method_artifacts.values())
    lacking = [
        position for part in parts for position in _unsupported(part, version, trusted_operators)
    ]
    if not lacking:
        return None
    return Refusal(
        error="UnsupportedOperatorError",
        problem=(
            f"{artifact.path} was saved by paddle {artifact.saved_by} and has operators that "
            f"paddle {version} lacks: {'; '.join(lacking[:_MOST_NAMED])}"
        ),
        action="Load it with the release that saved it, or export it without these operators.",
        rule=UNKNOWN,
    )


def _unsupported(
    part: Artifact, version: str, trusted_operators: Collection[str]
) -> tuple[str, ...]:
    """Those that stay where a legacy program is repaired."""
    lacking = unsupported_operators(part.program, version, trusted_operators)
    if not lacking or part.format is Format.PIR:
        return lacking
    from compatload.artifact.program_desc import decode  # with all of protobuf: 60 ms of a load
    from compatload.programs.legacy_repairs.repair import repair

    data = repair(part.program_bytes, version, translated=False, decoded=part.program).data
    repaired = unsupported_operators(decode(data, part.path).program, version, trusted_operators)
    left = {position.partition(" ")[0] for position in repaired}
    return tuple(position for position in lacking if position.partition(" ")[0] in left)


def _is_newer(saved_by: str | None, version: str) -> bool:
    exact = (saved_by or "").partition("==")[2]
    try:
        return release_of(exact) > release_of(version)
    except InvalidVersion:
        return False


def _cpu(runtime: Runtime) -> str:
    cpu = runtime.cpu
    return f"{describe(runtime)} on {cpu.vendor or 'unknown vendor'} {cpu.name or ''}".rstrip()


def _steps(
    matches: Sequence[Match],
    artifact: Artifact,
    api: Api,
    config: PredictorConfig | None,
    version: str,
) -> tuple[Step, ...]:
    actions = {match.rule.action: match.rule for match in matches}
    options = predictor_options(matches, artifact) if api is Api.PREDICTOR else PredictorOptions()
    option_rules = tuple(m.rule.id for m in matches if m.rule.action in _OPTION_ACTIONS)
    native = Step(
        Strategy.NATIVE,
        "this Paddle reads the format by itself",
        rules=option_rules,
        options=options,
        rewritten=_rewritten(matches),
        overrides=_overrides(matches, config),
    )
    if Action.CONVERT in actions:
        rule = actions[Action.CONVERT]
        target = "legacy" if rule.parameters == ("legacy",) else "pir"
        return (replace(_because(rule, native, Strategy.CONVERT), target=target),)
    if Action.TRANSLATE in actions:
        translate = _because(actions[Action.TRANSLATE], native, Strategy.TRANSLATE)
        if api is Api.LAYER:
            return (
                translate,
                replace(
                    translate,
                    strategy=Strategy.LEGACY_MODE,
                    reason="PIR is switched off while the file is read; the layer can infer only",
                ),
            )
        return (translate,)
    if Action.PIR_MODE in actions:
        return (_because(actions[Action.PIR_MODE], native, Strategy.PIR_MODE),)
    if artifact.format is Format.PIR or api is not Api.LAYER:
        return (native,)
    # jit.load appends a backward program, which looks attributes up that 1.x did not write.
    fill_in = replace(
        native, strategy=Strategy.FILL_IN, reason="attributes that the program leaves out"
    )
    parts = (artifact, *artifact.method_artifacts.values())
    # 3.x translates a layer's program when it is called, and looks attributes up as they stand.
    late = not version.startswith("2.")
    if late and any(leaves_attributes_out(part.program, version) for part in parts):
        return fill_in, native
    return native, fill_in


# Without these passes a predictor runs a PIR program two to five times slower: what is not fused
# into a convolution leaves oneDNN, or nothing is fused. Those for legacy programs are others.
_COSTLY_PASSES = frozenset({*PLACEMENT_PASS, "conv_activation_onednn_fuse_pass"})


def _against_pir(matches: Sequence[Match], artifact: Artifact, api: Api) -> tuple[Rule, ...]:
    """Rules that a predictor does not run a PIR program under, or without most of oneDNN."""
    if api is not Api.PREDICTOR or artifact.format is not Format.PIR:
        return ()
    return tuple(match.rule for match in matches if _is_against_pir(match.rule))


def _is_against_pir(rule: Rule) -> bool:
    return rule.action is Action.AS_LEGACY or (
        rule.action is Action.DELETE_PASSES and not _COSTLY_PASSES.isdisjoint(rule.parameters)
    )


def _as_legacy(
    reasons: Sequence[Rule],
    matches: Sequence[Match],
    artifact: Artifact,
    config: PredictorConfig | None,
) -> Step:
    """A predictor of 3.x runs legacy programs as well, and what oneDNN gets wrong in one kind of
    program it gets right in the other (upsampling with leaky_relu, 3.3.1: 109 → 64 ms)."""
    options = predictor_options(matches, artifact)
    # In a program that was converted, a convolution's bias is an aligned addition.
    passes = (*options.delete_passes, *ALIGNED_ADDITION.parameters)
    rules = (*reasons, *(m.rule for m in matches if m.rule.action in _OPTION_ACTIONS))
    return Step(
        Strategy.CONVERT,
        "the predictor does not have this fault with legacy programs",
        rules=tuple(dict.fromkeys(rule.id for rule in rules)),
        target="legacy",
        options=replace(options, delete_passes=tuple(dict.fromkeys(passes))),
        rewritten=_rewritten(matches),
        overrides=_overrides(matches, config),
    )


def _because(rule: Rule, native: Step, strategy: Strategy) -> Step:
    return replace(native, strategy=strategy, reason=rule.title, rules=(rule.id, *native.rules))


def _rewritten(matches: Sequence[Match]) -> tuple[str, ...]:
    return tuple(match.rule.id for match in matches if match.rule.action is Action.REWRITE)


def _overrides(matches: Sequence[Match], config: PredictorConfig | None) -> tuple[str, ...]:
    """What the caller's Config asks for and the plan does not follow, a line each."""
    if config is None:
        return ()
    told = ((_not_followed(match.rule, config), match.rule) for match in matches)
    lines = tuple(f"{what}: {rule.title} [{rule.id}]" for what, rule in told if what)
    return (*lines, _OF_MEMORY) if config.in_memory else lines


# A copy that keeps all would take files for buffers; so its settings go into a new Config.
_OF_MEMORY = (
    "what no getter tells of a Config that holds the model in memory (passes that were deleted, "
    "the optimization level) is left at its default: give it files to keep that"
)


def _not_followed(rule: Rule, config: PredictorConfig) -> str:
    if rule.action is Action.WITHOUT_NEW_IR:
        return "enable_new_ir is switched off"
    if rule.action is Action.WITHOUT_NEW_EXECUTOR:
        return "enable_new_executor is switched off"
    if rule.action is Action.DISABLE_MEMORY_OPTIM and config.memory_optim:
        return "enable_memory_optim is switched off"
    if rule.action is Action.DISABLE_ONEDNN:
        return "oneDNN is switched off"
    if rule.action is Action.WITHOUT_ONEDNN:
        return "oneDNN is switched off for some operators"
    if rule.action is Action.DELETE_PASSES:
        return f"left out {', '.join(name for name in rule.parameters if config.runs(name))}"
    return ""


_OPTION_ACTIONS = frozenset(
    {
        Action.DELETE_PASSES,
        Action.WITHOUT_ONEDNN,
        Action.DISABLE_ONEDNN,
        Action.DISABLE_MEMORY_OPTIM,
        Action.WITHOUT_NEW_IR,
        Action.WITHOUT_NEW_EXECUTOR,
        Action.ADD_PARAMETER,
        Action.REWRITE,
    }
)

# Types that the passes for legacy programs make out of others before oneDNN is placed.
_FUSED_TYPES = (
    "conv2d_bn",
    "fc",
    "fused_conv2d",
    "fused_conv3d",
    "fused_elementwise_add",
    "fused_elementwise_mul",
    "fused_elementwise_sub",
    "fused_matmul",
    "fused_softplus",
    "fused_transpose",
    "matmul",
    "matmul_v2",
    "mul",
    "multi_gru",
    "fusion_gru",
    "fusion_lstm",
)


def predictor_options(matches: Sequence[Match], artifact: Artifact) -> PredictorOptions:
    """What the rules that matched ask of a predictor's Config."""
    passes = [
        name
        for match in matches
        if match.rule.action in (Action.DELETE_PASSES, Action.REWRITE)
        for name in match.rule.parameters
    ]
    # A rule names an operator as each kind of program does: this one may be converted.
    outside = {
        name
        for match in matches
        if match.rule.action is Action.WITHOUT_ONEDNN
        for condition in match.rule.when
        for pattern in condition.operators
        for name in pattern.names
    }
    passes += [name for one in sorted(outside) for name in PASSES_OF.get(one, ())]
    actions = {match.rule.action for match in matches}
    return PredictorOptions(
        delete_passes=tuple(dict.fromkeys(passes)),
        onednn=Action.DISABLE_ONEDNN not in actions,
        onednn_operators=_all_but(outside, artifact) if outside else None,
        memory_optim=Action.DISABLE_MEMORY_OPTIM not in actions,
        add_parameter=Action.ADD_PARAMETER in actions,
        new_ir=Action.WITHOUT_NEW_IR not in actions,
        new_executor=Action.WITHOUT_NEW_EXECUTOR not in actions,
    )


def _all_but(outside: set[str], artifact: Artifact) -> tuple[str, ...]:
    """Types of operators that oneDNN may take."""
    return tuple(sorted({*_FUSED_TYPES, *_types_as_legacy(artifact)} - outside))


def _types_as_legacy(artifact: Artifact) -> Iterable[str]:
    """The types of a legacy program; of one that is to be converted, all that it may come to."""
    if artifact.format is Format.PIR:
        return legacy_operators(NEWEST_LEGACY)
    return map(bare_name, artifact.program.operators)
