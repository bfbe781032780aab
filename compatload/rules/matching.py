"""Decide whether a rule applies. Pure: artifact and runtime in, matching operators out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import zip_longest
from math import prod

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from compatload.artifact.model import Artifact, Format, Operator, Program
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.releases import PIR_VERSIONS
from compatload.rules.links import FIRST, SECOND, Links, operand
from compatload.rules.model import AttributeTest, Comparison, Condition, OperatorPattern, Rule
from compatload.runtime.model import PaddleBuild, Runtime
from compatload.runtime.release import known_as, measured_as, release_of


@frozen
class Match:
    """A rule that applies, with the operators that made it so (empty: it needs none)."""

    rule: Rule
    operators: tuple[Operator, ...] = ()


def matching_rules(
    rules: Iterable[Rule],
    artifact: Artifact,
    runtime: Runtime,
    api: Api,
    device: str,
    runs_as: Format | None = None,
) -> tuple[Match, ...]:
    """The rules that apply to this load, in the order given.

    ``runs_as`` is the format of the program that Paddle gets; by default, what it has to be.
    """
    index = OperatorIndex(artifact.program)
    matches = []
    for rule in rules:
        for condition in rule.when:
            if not applies_to_place(condition, artifact, runtime, api, device, runs_as):
                continue
            operators = index.matching(condition.operators)
            if operators or not condition.operators:
                matches.append(Match(rule, operators))
                break
    return tuple(matches)


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
        and condition.cpu_has <= runtime.cpu.features
        # An unknown CPU (no features at all) lacks nothing: refusing it would be a guess.
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
    runs_as = _run_format(artifact, runtime) if runs_as is None else runs_as.family
    return (
        (not condition.apis or api in condition.apis)
        and (not condition.formats or artifact.format.family.value in condition.formats)
        and (not condition.runs_as or runs_as.value in condition.runs_as)
        and (not condition.devices or device.partition(":")[0] in condition.devices)
        and (
            condition.pir_version_above is None
            or (artifact.pir_version or 0) > condition.pir_version_above
        )
        and not (condition.pir_newer and not _is_of_newer_release(artifact, runtime))
        and not (condition.parameterless and artifact.parameters)
        and not (condition.untrainable and artifact.trainable is not False)
        and applies_to_runtime(condition, runtime)
    )


def _run_format(artifact: Artifact, runtime: Runtime) -> Format:
    """The format of the program that Paddle gets: a PIR one is converted for 2.x."""
    paddle = runtime.paddle
    if artifact.format is Format.PIR and paddle is not None and _holds_for(paddle, "<3.0"):
        return Format.LEGACY
    return artifact.format.family


@lru_cache(maxsize=256)
def _specifier(text: str) -> SpecifierSet:
    return SpecifierSet(text, prereleases=True)


def _holds_for(paddle: PaddleBuild, specifier: str) -> bool:
    """Whether what was measured on these releases holds for that Paddle."""
    try:
        return _within(measured_as(paddle.version), specifier)
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


def _within(version: str, specifier: str) -> bool:
    try:
        return _specifier(specifier).contains(release_of(version))
    except InvalidVersion:
        return False


_CHANNELS = 1  # the axis after the batch
_LONGEST_CHAIN = 8  # of what a convolution is followed by and takes in


class OperatorIndex:
    """The operators of a program by bare type, and by the values that they read."""

    def __init__(self, program: Program) -> None:
        self._operators = program.operators
        self._variables = program.variables
        self.by_name: dict[str, list[Operator]] = {}
        self._alike: dict[str, frozenset[str]] = {}
        self._last_reads: dict[tuple[str, frozenset[str]], Mapping[int, int]] = {}
        self._shared: dict[frozenset[str], Mapping[str, tuple[str, ...]]] = {}
        for operator in program.operators:
            self.by_name.setdefault(bare_name(operator), []).append(operator)

    @cached_property
    def _links(self) -> Links:
        return Links(self._operators)

    def feeds(self, operator: Operator, pattern: OperatorPattern) -> bool:
        """Whether a result of ``operator`` goes where the pattern wants it."""
        seen = {id(operator)}
        waiting = [operator]
        while waiting:
            for reader in self._links.after(waiting.pop()):
                name = bare_name(reader)
                if name in pattern.feeds and self._goes_on(reader, pattern.then):
                    return True
                if id(reader) not in seen and self._leads_on(reader, pattern):
                    seen.add(id(reader))
                    waiting.append(reader)
        return False

    def _leads_on(self, operator: Operator, pattern: OperatorPattern) -> bool:
        name = bare_name(operator)
        return pattern.passes(name) or (
            name in pattern.on_last_axis and self._may_reduce_last(operator)
        )

    def _may_reduce_last(self, operator: Operator) -> bool:
        """Whether the result may be the first operand without its last axis, by their shapes."""
        shape = self._operand_shape(operator, FIRST)
        made = self._variables.get(next((v for vs in operator.outputs.values() for v in vs), ""))
        if shape is None or made is None or made.shape is None:
            return True
        return made.shape in (shape[:-1], (*shape[:-1], 1))

    def _goes_on(self, operator: Operator, then: frozenset[str]) -> bool:
        return not then or any(bare_name(one) in then for one in self._links.after(operator))

    def matching(self, patterns: Sequence[OperatorPattern]) -> tuple[Operator, ...]:
        return tuple(
            operator
            for pattern in patterns
            for name in sorted(pattern.names & self.by_name.keys())
            for operator in self.by_name[name]
            if self._matches(pattern, operator)
        )

    def _matches(self, pattern: OperatorPattern, operator: Operator) -> bool:
        outputs = operator.outputs
        if pattern.lacks_outputs and all(outputs.get(slot) for slot in pattern.lacks_outputs):
            return False
        if pattern.feeds and not self.feeds(operator, pattern):
            return False
        if pattern.widened and not self._is_widened(operator):
            return False
        if pattern.empty and not self._is_empty(operator):
            return False
        if pattern.single_place and not self._has_single_place(operator):
            return False
        if pattern.after and not self._comes_from(operator, pattern.after, frozenset()):
            return False
        if pattern.unlike_bias and not self._is_unlike_bias(operator):
            return False
        if pattern.overwrites and not self._is_read_after(operator, pattern):
            return False
        if pattern.alike and not self._has_twin(operator):
            return False
        if pattern.unless_after and self._comes_from(
            operator, pattern.unless_after, pattern.through
        ):
            return False
        return all(
            self._is_not_last_axis(operator, operator.attributes.get(test.name))
            if test.test is Comparison.NOT_LAST_AXIS
            else _holds(test, operator.attributes)
            for test in pattern.attributes
        )

    def _is_read_after(self, operator: Operator, pattern: OperatorPattern) -> bool:
        """Whether anything reads what lies in that memory after the operator: what stands later, in
        another block, or the operator itself, in a block that may run once more."""
        value = operand(operator, pattern.overwrites)
        if value is None:
            return False
        shared = self.in_memory_of(value, pattern.views)
        maker = self._links.makes(shared[0])
        if maker is None:
            return False
        known = shared[0], pattern.views
        if known not in self._last_reads:  # once for a memory, however many may overwrite it
            self._last_reads[known] = self._links.last_reads(shared)
        last = self._last_reads[known]
        return (
            maker.block != operator.block
            or len(last) > 1
            or last.get(operator.block, operator.index) > operator.index
        )

    def in_memory_of(self, value: str, views: frozenset[str]) -> tuple[str, ...]:
        """The values that lie in one memory with this one, the computed one first."""
        if views not in self._shared:
            self._shared[views] = self._sharing(views)
        return self._shared[views].get(value, (value,))

    def _sharing(self, views: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
        """The values of each memory that has several, by each of them."""
        first: dict[str, str] = {}
        together: dict[str, list[str]] = {}
        for operator in self._operators:
            if bare_name(operator) not in views:
                continue
            source = operand(operator, FIRST)
            if source is None:
                continue
            computed = first.get(source, source)
            for values in operator.outputs.values():
                for value in values:
                    first[value] = computed
                    together.setdefault(computed, [computed]).append(value)
        return {value: tuple(group) for group in together.values() for value in group}

    def _is_not_last_axis(self, operator: Operator, axis: object) -> bool:
        if not isinstance(axis, int):
            return False
        shape = self._operand_shape(operator, FIRST)
        return shape is None or axis % max(len(shape), 1) != len(shape) - 1

    def _is_widened(self, operator: Operator) -> bool:
        first = self._operand_shape(operator, FIRST)
        second = self._operand_shape(operator, SECOND)
        if first is None or second is None:
            return False
        aligned = zip_longest(reversed(first), reversed(second), fillvalue=1)
        return any(size == 1 and other != 1 for size, other in aligned)

    def _has_twin(self, operator: Operator) -> bool:
        """Whether another of its type reads another value that is computed in the same way."""
        name = bare_name(operator)
        if name not in self._alike:
            values = (operand(one, FIRST) for one in self.by_name[name])
            self._alike[name] = self._links.alike(value for value in values if value is not None)
        return operand(operator, FIRST) in self._alike[name]

    def _is_unlike_bias(self, operator: Operator) -> bool:
        """Whether the second operand is one row, or as many numbers on an axis after the first,
        where it has fewer axes than what it is added to, and so does not lie along the channels."""
        first = self._operand_shape(operator, FIRST)
        second = self._operand_shape(operator, SECOND)
        if first is None or second is None or len(second) >= len(first):
            return False
        return len(second) == 1 or (len(second) > 1 and 1 < second[_CHANNELS] == prod(second))

    def _comes_from(
        self, operator: Operator, names: frozenset[str], through: frozenset[str]
    ) -> bool:
        """Whether the first operand is made by one of ``names``, or a short chain behind one."""
        for _ in range(_LONGEST_CHAIN):
            maker = self._links.makes(operand(operator, FIRST))
            if maker is None or bare_name(maker) in names:
                return maker is not None
            if bare_name(maker) not in through:
                return False
            operator = maker
        return False

    def _has_single_place(self, operator: Operator) -> bool:
        shape = self._operand_shape(operator, FIRST) or ()
        return len(shape) > _CHANNELS + 1 and all(size == 1 for size in shape[_CHANNELS + 1 :])

    def _is_empty(self, operator: Operator) -> bool:
        # In legacy programs XShape keeps an operand's shape, behind a zero.
        slots = (values for slot, values in operator.outputs.items() if slot != "XShape")
        made = (self._variables.get(value) for values in slots for value in values)
        return any(spec is not None and 0 in (spec.shape or ()) for spec in made)

    def _operand_shape(self, operator: Operator, slots: Sequence[str]) -> tuple[int, ...] | None:
        value = operand(operator, slots)
        read = self._variables.get(value) if value else None
        return read.shape if read else None


def bare_name(operator: Operator) -> str:
    """Type without PIR's dialect and in-place mark: ``pd_op.relu_`` is ``relu``."""
    return operator.name.rpartition(".")[2].rstrip("_")


def _holds(test: AttributeTest, attributes: Mapping[str, object]) -> bool:
    value = attributes.get(test.name)
    if test.test is Comparison.ABSENT:
        return test.name not in attributes
    items = value if isinstance(value, (list, tuple)) else () if value is None else (value,)
    numbers = [item for item in items if isinstance(item, (int, float))]
    if test.test is Comparison.NOT_INTEGERS:
        return not numbers or any(number < 1 or number != int(number) for number in numbers)
    if test.test is Comparison.ANY_NEGATIVE:
        return any(number < 0 for number in numbers)
    return value is not None and value == test.value
