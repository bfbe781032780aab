"""What Paddle's own loaders do with a file, as facts: which fault shows, in which API, and how.

In the order in which Paddle would meet them: the import, the format, the attributes of the
operators, the passes of the predictor, the run. The first that applies decides. Conditions here
are those of the fault itself; those of the rules that a plan follows may be wider.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compatload.checking.native.fusions import (
    attention_by_slices,
    convolution_times_matrix,
    layer_after_convolution,
    layer_times_number,
    normalisation_read_twice,
    number_without_dimensions,
    product_read_twice,
    smaller_by_larger,
    weight_read_twice,
)
from compatload.checking.native.onednn import (
    activation_over_convolutions,
    joined_after_turning,
    squeezed_padding,
    taken_for_bias,
)
from compatload.checking.native.reuse import (
    detached_and_overwritten,
    output_with_twin,
    overwritten,
)
from compatload.checking.native.sightings import (
    Sight,
    activation_over_activation,
    aligned_addition,
    channels_last_convolution,
    computed_by_onednn,
    convolution_then_leaky,
    interpolation,
    lacks_backward_attribute,
    lacks_kernel,
    layer_norm_over_several_axes,
    misread_slices,
    not_whole_nearest,
    operators_like,
    pad_in_onednn,
    scalar_attribute_first,
    sharing_memory,
    sharing_memory_with_loops,
    sums_left_out,
    unfit_attributes,
    unknown_operators,
    unread_attributes,
    without_output,
)
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.rules import kept_output, two_numbers
from compatload.rules.hardware import HARDWARE_RULES
from compatload.rules.model import Condition, OperatorPattern, Rule
from compatload.rules.onednn import ONEDNN_RULES, REFUSING_EMPTY

_LAYER = frozenset({Api.LAYER})
_PROGRAM = frozenset({Api.PROGRAM})
_PREDICTOR = frozenset({Api.PREDICTOR})
_PYTHON = _LAYER | _PROGRAM
_LEGACY = frozenset({"legacy"})
_PIR = frozenset({"pir"})
_CPU = frozenset({"cpu"})
_X86 = frozenset({"x86_64"})
# On the CPU, where oneDNN is on by default.
_LEGACY_PREDICTOR = Condition(apis=_PREDICTOR, formats=_LEGACY, devices=_CPU)
_LEGACY_PREDICTOR_3 = replace(_LEGACY_PREDICTOR, paddle=">=3.0")
_PIR_PREDICTOR = Condition(paddle=">=3.0", apis=_PREDICTOR, formats=_PIR, devices=_CPU)
_PIR_PREDICTOR_TO_3_2 = replace(_PIR_PREDICTOR, paddle=">=3.0,<3.3")
_PIR_PREDICTOR_3_3 = replace(_PIR_PREDICTOR, paddle=">=3.3,<3.4")


@frozen
class NativeFault:
    """One way in which Paddle alone fails. ``outcome``: ``error``, ``crash`` or ``wrong``.

    ``sees`` gives the places in the program that make it so (none: it does not apply); without
    one the condition is enough.
    """

    rule: str
    outcome: str
    when: Condition
    sees: Sight | None = None


def _as_ruled(rules: Iterable[Rule]) -> tuple[NativeFault, ...]:
    """Faults whose conditions are those of their rules, operators included."""
    return tuple(
        NativeFault(
            rule.id,
            rule.without,
            condition,
            operators_like(*condition.operators) if condition.operators else None,
        )
        for rule in rules
        for condition in rule.when
    )


def _attributes(rule: str, *, newer: bool) -> tuple[NativeFault, ...]:
    """``load_inference_model`` checks nothing before it reads; the others do."""
    programs = Condition(paddle=">=3.0", apis=_PROGRAM, formats=_PIR)
    every = Condition(paddle=">=3.0", formats=_PIR)
    return (
        NativeFault(rule, "crash", programs, scalar_attribute_first(newer=newer)),
        NativeFault(rule, "error", every, unfit_attributes(newer=newer)),
        NativeFault(rule, "wrong", every, unread_attributes(newer=newer)),
    )


NATIVE_FAULTS: tuple[NativeFault, ...] = (
    *_as_ruled(HARDWARE_RULES),
    # The format.
    NativeFault("CL103", "error", Condition(paddle="<3.0", apis=_PYTHON, formats=_PIR)),
    NativeFault("CL103", "crash", Condition(paddle="<3.0", apis=_PREDICTOR, formats=_PIR)),
    NativeFault(
        "CL101", "error", Condition(paddle=">=3.0", apis=_PYTHON, formats=_LEGACY, pir_mode=True)
    ),
    NativeFault(
        "CL102", "error", Condition(paddle=">=3.0", apis=_PYTHON, formats=_PIR, pir_mode=False)
    ),
    NativeFault("CL105", "wrong", Condition(paddle="<=3.3.1", formats=_PIR, pir_version_above=4)),
    NativeFault(
        "CL109",
        "crash",
        Condition(
            paddle=">=3.0",
            apis=frozenset({Api.LAYER, Api.PREDICTOR}),
            formats=_PIR,
            untrainable=True,
        ),
    ),
    NativeFault(
        "CL210",
        "error",
        Condition(paddle=">=3.0,<3.1", apis=_PREDICTOR, formats=_PIR, parameterless=True),
    ),
    # The operators and their attributes.
    NativeFault("CL006", "error", Condition(formats=_PIR), unknown_operators),
    *_attributes("CL104", newer=True),
    *_attributes("CL108", newer=False),
    NativeFault("CL111", "error", Condition(formats=_LEGACY), unknown_operators),
    NativeFault("CL116", "error", Condition(paddle="<3.0", formats=_LEGACY), lacks_kernel),
    NativeFault(
        "CL110",
        "crash",
        Condition(paddle=">=3.0", apis=_PREDICTOR, formats=_LEGACY),
        without_output("flatten2", "XShape"),
    ),
    NativeFault(
        "CL112",
        "error",
        Condition(paddle="<3.0", apis=_LAYER, formats=_LEGACY),
        lacks_backward_attribute,
    ),
    # The predictor.
    NativeFault(
        "CL205",
        "crash",
        Condition(
            apis=_PREDICTOR,
            devices=_CPU,
            architectures=_X86,
            cpu_has=frozenset({"avx2"}),
            cpu_lacks=frozenset({"fma"}),
        ),
        computed_by_onednn,
    ),
    NativeFault(
        "CL221",
        "crash",
        Condition(
            paddle="<3.0",
            apis=_PREDICTOR,
            formats=_LEGACY,
            devices=_CPU,
            architectures=_X86,
            cpu_lacks=frozenset({"avx512f"}),
        ),
        attention_by_slices,
    ),
    NativeFault(
        "CL216",
        "crash",
        _LEGACY_PREDICTOR,
        normalisation_read_twice(fetched=True),
    ),
    NativeFault(
        "CL202",
        "crash",
        _PIR_PREDICTOR_3_3,
        convolution_then_leaky,
    ),
    NativeFault(
        "CL201",
        "error",
        _PIR_PREDICTOR_3_3,
        interpolation(),
    ),
    NativeFault(
        "CL214",
        "error",
        _PIR_PREDICTOR,
        layer_norm_over_several_axes,
    ),
    NativeFault(
        "CL212",
        "crash",
        _LEGACY_PREDICTOR,
        pad_in_onednn,
    ),
    NativeFault(
        "CL213",
        "crash",
        _PIR_PREDICTOR,
        pad_in_onednn,
    ),
    NativeFault(
        "CL211",
        "error",
        Condition(paddle="<3.0", apis=_PREDICTOR, formats=_LEGACY, devices=_CPU),
        channels_last_convolution,
    ),
    NativeFault(
        "CL215",
        "error",
        _LEGACY_PREDICTOR_3,
        aligned_addition,
    ),
    NativeFault(
        "CL216",
        "error",
        _LEGACY_PREDICTOR,
        normalisation_read_twice(fetched=False),
    ),
    NativeFault(
        "CL218",
        "error",
        _LEGACY_PREDICTOR,
        layer_after_convolution,
    ),
    NativeFault("CL220", "error", Condition(apis=_PREDICTOR, formats=_LEGACY), product_read_twice),
    NativeFault(
        "CL222",
        "error",
        _LEGACY_PREDICTOR,
        number_without_dimensions,
    ),
    NativeFault(
        "CL224",
        "crash",
        _PIR_PREDICTOR,
        operators_like(OperatorPattern(frozenset({"pool2d"}), empty=True)),
    ),
    NativeFault(
        "CL224",
        "error",
        _PIR_PREDICTOR,
        operators_like(OperatorPattern(REFUSING_EMPTY, empty=True)),
    ),
    *_as_ruled(rule for rule in ONEDNN_RULES if rule.id in ("CL225", "CL227", "CL228", "CL229")),
    NativeFault(
        "CL226",
        "error",
        _PIR_PREDICTOR,
        squeezed_padding,
    ),
    NativeFault("CL231", "error", _PIR_PREDICTOR, joined_after_turning),
    NativeFault("CL230", "error", _PIR_PREDICTOR, taken_for_bias(fits=False)),
    NativeFault("CL233", "error", _PIR_PREDICTOR, output_with_twin),
    # Numbers.
    NativeFault(
        "CL211",
        "wrong",
        _LEGACY_PREDICTOR_3,
        channels_last_convolution,
    ),
    NativeFault(
        "CL113",
        "wrong",
        Condition(paddle=">=3.0", apis=_PREDICTOR, formats=_LEGACY),
        misread_slices,
    ),
    NativeFault(
        "CL203",
        "wrong",
        _PIR_PREDICTOR_TO_3_2,
        interpolation(unlike_onednn=True),
    ),
    NativeFault(
        "CL207",
        "wrong",
        _PIR_PREDICTOR_TO_3_2,
        not_whole_nearest(names=frozenset({"nearest_interp"})),
    ),
    NativeFault(
        "CL208",
        "wrong",
        _LEGACY_PREDICTOR,
        not_whole_nearest(names=frozenset({"nearest_interp_v2"})),
    ),
    NativeFault(
        "CL209", "wrong", Condition(apis=_PREDICTOR, devices=_CPU), activation_over_activation
    ),
    NativeFault("CL230", "wrong", _PIR_PREDICTOR, taken_for_bias(fits=True)),
    NativeFault("CL232", "wrong", _PIR_PREDICTOR, overwritten),
    NativeFault(
        "CL223",
        "wrong",
        _LEGACY_PREDICTOR,
        activation_over_convolutions,
    ),
    NativeFault(
        "CL217",
        "wrong",
        _LEGACY_PREDICTOR,
        layer_times_number,
    ),
    NativeFault(
        "CL218", "wrong", Condition(apis=_PREDICTOR, devices=_CPU), convolution_times_matrix
    ),
    NativeFault(
        "CL219",
        "wrong",
        _LEGACY_PREDICTOR,
        smaller_by_larger,
    ),
    NativeFault(
        "CL219",
        "wrong",
        _PIR_PREDICTOR_TO_3_2,
        smaller_by_larger,
    ),
    NativeFault("CL220", "wrong", Condition(apis=_PREDICTOR, formats=_LEGACY), weight_read_twice),
    # What the file itself leaves out.
    NativeFault("CL118", "wrong", Condition(paddle=">=3.0", formats=_PIR), sums_left_out),
    *(NativeFault(two_numbers.RULE.id, *one) for one in two_numbers.FAULTS),
    *(NativeFault(kept_output.RULE.id, *one) for one in kept_output.FAULTS),
    # What shares memory where nobody is told.
    NativeFault(
        "CL119", "wrong", Condition(paddle=">=3.0", apis=_PYTHON, formats=_PIR), sharing_memory
    ),
    NativeFault("CL119", "wrong", _PIR_PREDICTOR, detached_and_overwritten),
    NativeFault("CL119", "wrong", Condition(formats=_LEGACY), sharing_memory_with_loops),
)
