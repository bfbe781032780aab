"""CL225: slice or activation without elements, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.emptied import may_be_emptied
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
    Where,
)
from compatload.faults.onednn import BINARY, LEGACY_ON_CPU, is_empty, takes_nothing

# What oneDNN computes element by element, and refuses to from 3.1 on where there is none.
_ACTIVATIONS = frozenset(
    {
        *("abs", "elu", "exp", "gelu", "hard_swish", "leaky_relu", "relu", "relu6", "sigmoid"),
        *("hardswish", "prelu", "round", "sqrt", "swish", "tanh"),
    }
)
# What it refuses, or dies of, in every release.
_JOINING = frozenset({"slice", "split", "split_with_num", "concat", "sum", "add_n"})
# From 3.0 on, with a constant beside it. 2.6 has no other kernel that takes it.
_STRETCHING = BINARY | {"expand", "expand_v2"}  # the latter as a sum with zeros
# What it refuses to take nothing together by, or leaves as the memory was.
_TAKING = frozenset(
    {
        *("bmm", "matmul", "matmul_v2", "mul", "reduce_mean", "reduce_prod", "reduce_sum"),
        *("mean", "prod"),
    }
)
# What it refuses from 3.0 on, and from 3.1 on, where a run finds nothing there.
_RESHAPING = frozenset(
    {"flatten", "flatten_contiguous_range", "reshape", "reshape2", "pad3d", "stack"}
)
# Its weight is made ready in the first call, and is not if that finds nothing.
_TRANSPOSED = frozenset({"conv2d_transpose", "depthwise_conv2d_transpose"})
_ELEMENTWISE = _ACTIVATIONS | {"max", "min", "mish", "reduce_max", "reduce_min"}


def _is_computed_at_run(operator: Operator, graph: Graph) -> bool:
    """Whether a result has no elements, and is not put in as a constant before it runs."""
    given = operand(operator, FIRST)
    return is_empty(operator, graph) and given is not None and not graph.is_computed_once(given)


def _on_cpu(names: frozenset[str], where: Where, paddle: str) -> Condition:
    return replace(LEGACY_ON_CPU, paddle=paddle, operators=(OperatorPattern(names, where=where),))


_JOINED = _on_cpu(_JOINING, is_empty, LEGACY_ON_CPU.paddle)
_EMPTIED = _on_cpu(_JOINING, may_be_emptied, LEGACY_ON_CPU.paddle)
_STRETCHED = _on_cpu(_STRETCHING, may_be_emptied, ">=3.0")
_TAKEN = _on_cpu(_TAKING, takes_nothing, LEGACY_ON_CPU.paddle)
_UNREADY = _on_cpu(_TRANSPOSED, may_be_emptied, LEGACY_ON_CPU.paddle)
_ACTIVATED = _on_cpu(_ACTIVATIONS, _is_computed_at_run, ">=3.1")

RULE = Rule(
    id="CL225",
    title="slice, sum, concat or activation without elements, oneDNN, legacy program",
    when=(
        _JOINED,
        _ACTIVATED,
        _EMPTIED,
        _STRETCHED,
        _TAKEN,
        _UNREADY,
        _on_cpu(_RESHAPING, may_be_emptied, ">=3.0"),
        _on_cpu(_ELEMENTWISE, may_be_emptied, ">=3.1"),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "As CL224 in legacy programs, where only the slice is concerned, and from 3.1 on "
        "activations: they are left out of the list that oneDNN may take. So are those of what a "
        "run may find empty, a mask that holds nowhere, a picture without a box: slices, splits, "
        "concat, and products with a number end the process (SIGFPE, SIGSEGV), and a transposed "
        "convolution that found nothing at first computes every later call with a weight that is "
        "not there, in silence."
    ),
    without="error",
    evidence=(
        Evidence("measured", "x[:, 0:0] saved by 2.6.2: an error on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "relu of (3, 0), and eleven others: 3.1.1 to 3.3.1, not 2.6.2, 3.0.0"),
        Evidence(
            "measured", "y[:, 2:7], split(y, 2, 1) of y = x[mask], empty: SIGFPE, 2.6.2, 3.3.1"
        ),
        Evidence("measured", "concat([y, sin(y)]): SIGSEGV, reshape: an error from 3.0 on"),
        Evidence("measured", "y * 3.14 of the same, saved by 2.6.2: SIGFPE, 3.0.0 and 3.3.1"),
        Evidence("measured", "matmul(e, e, transpose_y=True) of e = x[:, 0:0]: any numbers, 3.3.1"),
        Evidence(
            "measured",
            "conv2d_transpose of x[mask], nothing in the first call, two rows in the second: off "
            "by 1e35, 2.6.2, 3.0.0 and 3.3.1",
        ),
        Evidence("measured", "relu of a constant (2, 0, 6, 6): no error on 3.3.1, it is folded"),
    ),
    alone=(
        Alone(434, when=_JOINED),
        Alone(640, when=_ACTIVATED),
        Alone(760, when=_EMPTIED, by_data=True),
        Alone(771, when=_STRETCHED, by_data=True),
        Alone(763, "wrong", when=_UNREADY, by_data=True),
    ),
)
