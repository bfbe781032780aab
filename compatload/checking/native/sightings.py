"""Places in a program where Paddle's own loaders are known to fail. Pure; no Paddle, no files.

A sight takes the artifact and the target release, and gives the operators concerned. Shapes are
those that the program declares, with -1 for what only a run can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format, Operator
from compatload.checking.native.links import named
from compatload.errors import CompatLoadError
from compatload.frozen import frozen
from compatload.operators.registry import (
    PirOperator,
    legacy_operators,
    pir_operators,
    pir_version_of,
)
from compatload.programs.legacy_repairs import repair
from compatload.programs.lost_additions import lost_additions
from compatload.programs.pir_attributes import READABLE_NAN, fit_attributes
from compatload.programs.pir_changes import PARAMETER, operator_name, takes
from compatload.programs.shared_memory import sharing
from compatload.rules.links import Links
from compatload.rules.matching import OperatorIndex, bare_name
from compatload.rules.model import OperatorPattern
from compatload.rules.predictor import FUSED_ACTIVATIONS

Sight = Callable[[Artifact, str], "tuple[Operator, ...]"]

_CONVOLUTIONS = frozenset({"conv2d", "depthwise_conv2d", "conv2d_transpose", "conv3d"})
_MATRIX_PRODUCTS = frozenset({"matmul", "matmul_v2", "mul", "linear", "linear_v2", "fc"})
_ADDITIONS = frozenset({"add", "elementwise_add"})
_ELEMENTWISE = frozenset({"elementwise_add", "elementwise_mul", "elementwise_sub"})
_INTERPOLATIONS = frozenset({"bilinear_interp", "nearest_interp"})
# What stands between a convolution and its activation without keeping them from being fused.
_FOLDED_INTO_CONVOLUTION = _ADDITIONS | {"batch_norm", "batch_norm_"}
# Legacy operators that 2.6 lists without a kernel to run them.
_WITHOUT_KERNEL = frozenset({"pad2d"})
# What the backward program that jit.load of 2.6 appends looks up, and 1.x did not write.
_BACKWARD_ATTRIBUTES = (("batch_norm", "use_global_stats"), ("lookup_table", "is_sparse"))
_BACKWARD_INPUTS = (("expand", "expand_times_tensor"),)
# Attribute types whose reader dereferences what it is given, unasked: the others say what is wrong.
_DEREFERENCED = frozenset({"0.a_f32", "0.a_f64", "0.a_i32", "0.a_i64"})
# What a release changed and does not raise in older files, by release: its successors do.
_NOT_RAISED = {"3.1.1": frozenset({"kthvalue"})}
_BOUNDS_ARE_FINE = "decrease_axis became a squeeze2"


def unknown_operators(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Operators that the release has not got."""
    if artifact.format is Format.PIR:
        pir = pir_operators(release)
        return tuple(
            one
            for one in artifact.program.operators
            if one.name not in pir and not one.name.startswith(("builtin.", "cf."))
        )
    legacy = legacy_operators(release)
    return tuple(one for one in artifact.program.operators if one.name not in legacy)


def sums_left_out(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Additions that ``paddle.jit.save`` left out of an output, and that nobody reads."""
    return tuple(one.sum for one in lost_additions(artifact))


def sharing_memory(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Values of ``detach()`` in the memory of a value that somebody else reads."""
    return sharing(artifact)


def sharing_memory_with_loops(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """The same in programs of several blocks: what a loop sets anew is set in that memory."""
    return sharing(artifact) if any(one.block for one in artifact.program.operators) else ()


def lacks_kernel(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return named(artifact, _WITHOUT_KERNEL)


def without_output(name: str, slot: str) -> Sight:
    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        found = named(artifact, frozenset({name}))
        return tuple(one for one in found if not one.outputs.get(slot))

    return sees


def operators_like(*patterns: OperatorPattern) -> Sight:
    """What the patterns of a rule find."""
    names = frozenset[str]().union(*(pattern.names for pattern in patterns))

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        if not named(artifact, names):  # an index costs more than a look
            return ()
        return OperatorIndex(artifact.program).matching(patterns)

    return sees


def lacks_backward_attribute(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in artifact.program.operators
        if any(one.name == name and key not in one.attributes for name, key in _BACKWARD_ATTRIBUTES)
        or any(one.name == name and slot not in one.inputs for name, slot in _BACKWARD_INPUTS)
    )


def unfit_attributes(*, newer: bool) -> Sight:
    """PIR operators whose attributes are not of the types that the release reads, in files with
    a newer version number than its own, or (not ``newer``) with the very same; or with an older
    one, where the release forgets to raise them."""

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        return tuple(one.operator for one in _unfit(artifact, release, newer))

    return sees


def scalar_attribute_first(*, newer: bool) -> Sight:
    """The same, if the first of them to be read is a plain number: that one is dereferenced."""

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        unfit = _unfit(artifact, release, newer)
        return (unfit[0].operator,) if unfit and unfit[0].scalar else ()

    return sees


def unread_attributes(*, newer: bool) -> Sight:
    """Operators with an attribute that the release has not got and does not miss, but that
    matters to what they compute."""

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        return tuple(one.operator for one in _unfit(artifact, release, newer, unread=True))

    return sees


@frozen
class _Unfit:
    """``scalar``: the first attribute that does not fit is a plain number; ``unread``: nothing
    is amiss but an attribute that nobody will look at."""

    operator: Operator
    scalar: bool
    unread: bool


def _unfit(
    artifact: Artifact, release: str, newer: bool, unread: bool = False
) -> tuple[_Unfit, ...]:
    # Paddle itself raises older files to its own version; it does not look at newer ones, nor at
    # those that carry its own number.
    ahead = (artifact.pir_version or 0) - pir_version_of(release)
    forgotten = _NOT_RAISED.get(release, frozenset())
    if (ahead > 0) is not newer or (ahead < 0 and not named(artifact, forgotten)):
        return ()
    try:
        found = _unfit_of(artifact.program_bytes, release)
    except (CompatLoadError, LookupError, TypeError, ValueError, AttributeError):
        return ()  # a program that departs from the layout: inspection has said what it is
    if ahead < 0:
        found = tuple(one for one in found if bare_name(one.operator) in forgotten)
    return tuple(one for one in found if one.unread is unread)


@lru_cache(maxsize=8)
def _unfit_of(data: bytes, release: str) -> tuple[_Unfit, ...]:
    table = pir_operators(release)
    found = []
    for block, index, raw in _raw_operators(pir_json.parse(data)):
        name = operator_name(raw["#"])
        known = table.get(name)
        if raw["#"] == PARAMETER or known is None:
            continue
        fitted = fit_attributes(known, raw["A"], table.release)
        # What a release does not know it does not read; how NaN is spelled is another matter.
        changes = [
            change
            for change in fitted.changes
            if not change.endswith(READABLE_NAN) and ": left out," not in change
        ]
        ignored = [one for one in fitted.obstacles if "has no such attribute" in one]
        if changes or len(fitted.obstacles) > len(ignored) or not takes(known, raw):
            operator = Operator(name, {}, {}, {}, block, index)
            found.append(_Unfit(operator, _is_scalar(known, raw, changes), unread=False))
        elif ignored:
            found.append(_Unfit(Operator(name, {}, {}, {}, block, index), False, unread=True))
    return tuple(found)


def _is_scalar(known: PirOperator, raw: Mapping[str, Any], changes: Sequence[str]) -> bool:
    if not changes:
        return False
    name = changes[0].partition(":")[0]
    expected = known.attribute(name)
    held = next((one["AT"]["#"] for one in raw["A"] if one["N"] == name), None)
    return held in _DEREFERENCED and expected is not None and expected.type in _DEREFERENCED


def _raw_operators(program: Mapping[str, Any]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Operators as they are executed: what is in a block comes with the operator that owns it."""
    waiting: list[Iterator[tuple[int, int, dict[str, Any]]]] = []
    number = 0

    def blocks(regions: Iterable[Any]) -> Iterator[tuple[int, int, dict[str, Any]]]:
        nonlocal number
        for region in regions:
            for block in region["blocks"]:
                own, number = number, number + 1
                yield from ((own, index, one) for index, one in enumerate(block["ops"]))

    waiting.append(blocks(program["program"]["regions"]))
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        yield entry
        if "regions" in entry[2]:
            waiting.append(blocks(entry[2]["regions"]))


def misread_slices(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Slices with a negative step whose bounds 3.x reads otherwise (conversion decides)."""
    if not named(artifact, frozenset({"strided_slice"})):
        return ()
    try:
        changes = repair(
            artifact.program_bytes, release, translated=False, decoded=artifact.program
        ).changes
    except CompatLoadError:
        return ()
    positions = {
        change.position
        for change in changes
        if change.rule == "CL113" and change.description != _BOUNDS_ARE_FINE
    }
    return tuple(one for one in artifact.program.operators if one.position in positions)


def computed_by_onednn(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return named(artifact, _CONVOLUTIONS | _MATRIX_PRODUCTS)


def convolution_then_leaky(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    leaky = named(artifact, frozenset({"leaky_relu"}))
    links = Links(artifact.program.operators) if leaky else None
    return tuple(one for one in leaky if links and _follows_convolution(one, links))


def _follows_convolution(operator: Operator, links: Links) -> bool:
    seen: set[tuple[int, int]] = set()
    pending = list(links.before(operator))
    while pending:
        one = pending.pop()
        if (one.block, one.index) in seen:
            continue
        seen.add((one.block, one.index))
        if bare_name(one) in _CONVOLUTIONS:
            return True
        if bare_name(one) in _FOLDED_INTO_CONVOLUTION:
            pending += links.before(one)
    return False


def interpolation(*, unlike_onednn: bool = False) -> Sight:
    """Bilinear and nearest interpolation; ``unlike_onednn``: bilinear with attributes that oneDNN
    does not look at."""

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        if not unlike_onednn:
            return named(artifact, _INTERPOLATIONS)
        return tuple(
            one
            for one in named(artifact, frozenset({"bilinear_interp"}))
            if one.attributes.get("align_corners") is True or one.attributes.get("align_mode") == 1
        )

    return sees


def not_whole_nearest(*, names: frozenset[str]) -> Sight:
    """Nearest interpolation by a factor that is not whole, or that the file does not tell.

    A size that is computed (OutSize and the like) keeps legacy operators out of oneDNN.
    """

    def sees(artifact: Artifact, release: str) -> tuple[Operator, ...]:
        return tuple(
            one
            for one in named(artifact, names)
            if not any(one.inputs.get(slot) for slot in _COMPUTED_SIZES)
            and not _is_whole(one, artifact)
        )

    return sees


_COMPUTED_SIZES = ("OutSize", "SizeTensor", "Scale")


def _is_whole(operator: Operator, artifact: Artifact) -> bool:
    scale = operator.attributes.get("scale")
    factors = [one for one in _items(scale) if isinstance(one, (int, float)) and one > 0]
    if factors:
        return all(factor == int(factor) for factor in factors)
    wanted = [operator.attributes.get(name) for name in ("out_h", "out_w")]
    given = operator.inputs.get("X") or operator.inputs.get("0") or ()
    spec = artifact.program.variables.get(given[0]) if given else None
    shape = (spec.shape if spec else None) or ()
    layout = operator.attributes.get("data_layout", operator.attributes.get("data_format"))
    sizes = shape[1:3] if layout == "NHWC" else shape[2:4]
    if any(not isinstance(one, int) or one <= 0 for one in wanted) or len(sizes) != 2:
        return False
    return all(
        size > 0 and isinstance(out, int) and out % size == 0 for out, size in zip(wanted, sizes)
    )


def layer_norm_over_several_axes(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in named(artifact, frozenset({"layer_norm"}))
        if (rank := _rank(one, artifact)) is not None
        and one.attributes.get("begin_norm_axis") not in (rank - 1, -1)
    )


def pad_in_onednn(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return named(artifact, frozenset({"pad"}))


def _rank(operator: Operator, artifact: Artifact) -> int | None:
    return _rank_of(operator.inputs.get("X") or operator.inputs.get("0"), artifact)


def _rank_of(given: Sequence[str] | None, artifact: Artifact) -> int | None:
    spec = artifact.program.variables.get(given[0]) if given else None
    return None if spec is None or spec.shape is None else len(spec.shape)


def channels_last_convolution(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in named(artifact, _CONVOLUTIONS)
        if one.attributes.get("data_format") in ("NHWC", "NDHWC")
    )


def aligned_addition(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """Additions (and the like) along leading axes, before something that is fused with them.

    A bias that a convolution takes in is no addition any more when the passes look for one.
    """
    found = [one for one in named(artifact, _ELEMENTWISE) if _is_aligned(one, artifact)]
    if not found:
        return ()
    links = Links(artifact.program.operators)
    return tuple(
        one
        for one in found
        if any(bare_name(after) in FUSED_ACTIVATIONS | {"scale"} for after in links.after(one))
        and not any(bare_name(before) in _CONVOLUTIONS for before in links.before(one))
    )


def _is_aligned(operator: Operator, artifact: Artifact) -> bool:
    """Whether the smaller operand's dimensions are not the last ones of the larger."""
    axis = operator.attributes.get("axis")
    ranks = [_rank_of(operator.inputs.get(slot), artifact) for slot in ("X", "Y")]
    if not isinstance(axis, int) or axis < 0 or None in ranks:
        return False
    larger, smaller = (rank or 0 for rank in ranks)
    return smaller > 0 and axis + smaller < larger


def activation_over_activation(artifact: Artifact, release: str) -> tuple[Operator, ...]:
    """The second of two activations that follow a fully connected layer directly."""
    products = named(artifact, _MATRIX_PRODUCTS)
    if not products:
        return ()
    links = Links(artifact.program.operators)
    stored = {parameter.name for parameter in artifact.parameters}
    found: dict[tuple[int, int], Operator] = {}
    for product in products:
        if not _has_stored_weight(product, links, stored):
            continue
        for added in _only(links.after(product), _ADDITIONS):
            for first in _only(links.after(added), FUSED_ACTIVATIONS):
                for second in _only(links.after(first), FUSED_ACTIVATIONS):
                    found[second.block, second.index] = second
    return tuple(found.values())


def _has_stored_weight(product: Operator, links: Links, stored: set[str]) -> bool:
    weights = product.inputs.get("Y") or product.inputs.get("1") or product.inputs.get("W") or ()
    return any(
        value in stored or (value in links.makers and "parameter" in links.makers[value].name)
        for value in weights
    )


def _only(operators: Iterable[Operator], names: frozenset[str]) -> list[Operator]:
    """Those operators if they are the sole reader, and of these names."""
    several = list(operators)
    return several if len(several) == 1 and bare_name(several[0]) in names else []


def _items(value: object) -> tuple[object, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return () if value is None else (value,)
