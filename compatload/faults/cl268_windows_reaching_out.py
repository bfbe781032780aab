"""CL268: windows that reach out of the image, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_AXES = 2  # of an image


def window(operator: Operator, graph: Graph) -> Sequence[object]:
    """The size of a pooling's window, or of what an adaptive one makes; () where it is not told."""
    maker = graph.producer(operand(operator, ("1",)))  # PIR keeps it in an operator of its own
    told = operator.attributes if maker is None else maker.attributes
    found = told.get("ksize" if maker is None else "value", ())
    return found if isinstance(found, (list, tuple)) else ()


def image_sizes(pooling: Operator, graph: Graph) -> tuple[int, ...]:
    """Those of what is pooled, without batch and channels."""
    shape = graph.shape(operand(pooling, FIRST)) or ()
    last = pooling.attributes.get("data_format") in ("NHWC", "NDHWC")
    return shape[1:-1] if last else shape[2:]


def is_mistaken(operator: Operator, graph: Graph) -> bool:
    """Whether a pooling rounds its sizes up, and is a mean that counts what is outside or skips
    places, or is padded less along its last axis."""
    told = operator.attributes
    if not _rounds_up(operator):
        return False
    if fails_by_padding(operator, graph):
        return True
    if told.get("pooling_type") != "avg":
        return False
    windows, strides = window(operator, graph), told.get("strides", ())
    if not isinstance(strides, (list, tuple)):
        return True
    # So a window may lie outside as a whole, or in what is padded.
    skips = any(
        isinstance(stride, int) and isinstance(window, int) and stride + pad > window
        for window, stride, pad in zip(windows, strides, _paddings(operator, len(windows))[1::2])
    )
    return (not told.get("exclusive", True) or skips) and _may_reach_out(
        operator, graph, windows, strides
    )


def _rounds_up(pooling: Operator) -> bool:
    told = pooling.attributes
    return bool(told.get("ceil_mode")) and not (told.get("adaptive") or told.get("global_pooling"))


def fails_by_padding(operator: Operator, graph: Graph) -> bool:
    """Whether it is padded less along its last axis, and may reach out."""
    told = operator.attributes
    windows, strides = window(operator, graph), told.get("strides", ())
    if not _rounds_up(operator) or not isinstance(strides, (list, tuple)):
        return False
    return _is_padded_less_last(operator) and _may_reach_out(operator, graph, windows, strides)


def _is_padded_less_last(operator: Operator) -> bool:
    """oneDNN's kernel takes the padding behind the first axis for that of the second."""
    pads = _paddings(operator, _AXES)
    return pads[1] > pads[2]


def _paddings(operator: Operator, axes: int) -> list[int]:
    """How far the image is widened in front of each axis and behind it."""
    told = operator.attributes.get("paddings", ())
    pads = [one for one in told if isinstance(one, int)] if isinstance(told, (list, tuple)) else []
    both = [one for one in pads for _ in range(2)] if len(pads) == axes else pads
    return both if len(both) == 2 * axes else [0] * 2 * axes


def _may_reach_out(
    operator: Operator, graph: Graph, windows: Sequence[object], strides: Sequence[object]
) -> bool:
    sizes = image_sizes(operator, graph)
    pads = operator.attributes.get("paddings", ())
    if not isinstance(pads, (list, tuple)) or len(sizes) != len(windows) != len(strides):
        return True
    both = [2 * one for one in pads if isinstance(one, int)]
    if len(both) != len(sizes):
        return True
    return any(
        size < 0
        or not isinstance(window, int)
        or not isinstance(stride, int)
        or (size + pad - window) % stride
        for size, pad, window, stride in zip(sizes, both, windows, strides)
    )


PADDED_LESS_LAST = (OperatorPattern(frozenset({"pool2d"}), where=fails_by_padding),)
POOLINGS = (OperatorPattern(frozenset({"pool2d"}), where=is_mistaken),)

RULE = Rule(
    id="CL268",
    title="windows that reach out of the image, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=POOLINGS),),
    action=Action.REWRITE,
    explanation=(
        "With ceil_mode the last windows of avg_pool2d reach out of the image. Without "
        "exclusive, oneDNN divides by the whole window and Paddle by what of it lies inside of "
        "image and padding: other numbers, in silence. With strides larger than windows, or as "
        "large and padding, a window may hold nothing, and oneDNN ends in an error; so it does in "
        "windows of any kind that are padded less along the last axis. Such poolings compute in "
        "float64, which oneDNN leaves to Paddle."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "avg_pool2d(x, 2, 3, exclusive=False, ceil_mode=True): 2.6.2, 3.3.1"),
        Evidence("measured", "exclusive and 2 by strides of 3: `could not create a descriptor`"),
        Evidence("measured", "3 by strides of 3 with a padding of 1, 8 wide: the same"),
        Evidence("measured", "maxima of 3 by 3, padding [1, 0], 8 by 8: the same, 2.6.2 and 3.3.1"),
    ),
    module="compatload.programs.rewritings.double_precision",
    alone=(
        Alone(478, "error", when=replace(LEGACY_ON_CPU, operators=PADDED_LESS_LAST)),
        Alone(564),
    ),
)
