"""CL267: what a transposed convolution made, rounded, cut or cast in oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CHANNELS, KEEPING, LEGACY_ON_CPU, ON_CPU, PIR_ON_CPU

_TRANSPOSED = frozenset({"conv2d_transpose", "conv2d_transpose_bias"})
# What leaves a tensor as oneDNN has laid it out.
_KEEPING = KEEPING | {
    *("add_n", "bilinear_interp", "bilinear_interp_v2", "cast", "combine"),
    *("elu", "exp", "log_softmax", "lrn", "nearest_interp", "nearest_interp_v2", "pool2d"),
    *("prelu", "round", "scale", "slice", "softmax", "softplus", "sum"),
}
_ROUNDED = frozenset({"round"})
_CAST = frozenset({"cast"})
_CUT = frozenset({"slice", "split", "split_with_num"})


def _comes_of_it(operator: Operator, graph: Graph) -> bool:
    return graph.comes_of(operator, _TRANSPOSED, lambda user: bare_name(user) in _KEEPING)


def _is_cut(operator: Operator, graph: Graph) -> bool:
    """In a PIR program."""
    return graph.artifact.format is Format.PIR and _comes_of_it(operator, graph)


def _is_cast_to_its_own(operator: Operator, graph: Graph) -> bool:
    """In a legacy program."""
    own = graph.dtype(operand(operator, FIRST))
    return own == graph.dtype(result(operator)) == "float32" and _comes_of_it(operator, graph)


def _is_cast_to_bfloat16(operator: Operator, graph: Graph) -> bool:
    return graph.dtype(result(operator)) == "bfloat16" and _comes_of_it(operator, graph)


_TO_BFLOAT16 = OperatorPattern(_CAST, where=_is_cast_to_bfloat16)
_IN_BOTH = (OperatorPattern(_ROUNDED, where=_comes_of_it), _TO_BFLOAT16)
_IN_LEGACY = OperatorPattern(_CAST, where=_is_cast_to_its_own)
_IN_PIR = OperatorPattern(_CUT, where=_is_cut)


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    return (
        *(one for one in graph.named(_ROUNDED) if _comes_of_it(one, graph)),
        *(one for one in graph.named(_CAST) if _is_cast_to_its_own(one, graph)),
    )


def _refused(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Casts to bfloat16, and what parts channels: those alone are laid out in sixteens."""
    return (
        *(one for one in graph.named(_CUT) if _is_cut(one, graph) and _parts_channels(one)),
        *(one for one in graph.named(_CAST) if _is_cast_to_bfloat16(one, graph)),
    )


def _parts_channels(cut: Operator) -> bool:
    axes = cut.attributes.get("axes")
    return not isinstance(axes, (list, tuple)) or CHANNELS in axes


RULE = Rule(
    id="CL267",
    title="what a transposed convolution made, rounded, cut or cast in oneDNN",
    when=(
        replace(LEGACY_ON_CPU, paddle="<3.0", operators=(_TO_BFLOAT16,)),
        replace(LEGACY_ON_CPU, paddle=">=3.0", operators=(*_IN_BOTH, _IN_LEGACY)),
        replace(PIR_ON_CPU, operators=(*_IN_BOTH, _IN_PIR)),
    ),
    action=Action.REWRITE,
    explanation=(
        "oneDNN lays out what a transposed convolution makes with room for sixteen channels, and "
        "what follows element by element keeps it so. `round`, and in legacy programs a cast of "
        "float32 to float32 (`x.astype('float32')`), then give what lay in memory before, up to "
        "1e38, in silence; casts to bfloat16, and in PIR programs slices of channels and splits, "
        "end in an error (`std::exception`, `could not construct a memory descriptor`). "
        "They read a copy that is no tensor of oneDNN's."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "Conv2DTranspose(2, 2, 1) and astype('float32'), saved by 2.6.2: wrong in predictors "
            "of 3.0.0 to 3.3.1, right in 2.6.2",
        ),
        Evidence("measured", "round: in both formats, 3.0.0 to 3.3.1; 3, 5, 8, 9 and 17 channels"),
        Evidence("measured", "y[:, 1:], split(y, 2, 1), split(y, 2, 3): errors in PIR programs"),
        Evidence("measured", "y[:, :, 1:, :-1], y[:1]: right, 3.0.0 and 3.3.1, 1 to 17 channels"),
        Evidence("measured", "astype('bfloat16') of 4, 8, 16 channels: errors, 2.6.2 to 3.3.1"),
        Evidence("measured", "behind 17 other operators (relu, add, pool, softmax …) the same"),
        Evidence("measured", "behind concat, conv2d, pad, transpose, sin: right; of Conv2D: right"),
    ),
    module="compatload.programs.rewritings.own_operand",
    alone=(
        Alone(638, when=replace(ON_CPU, paddle=">=3.0"), sees=_wrong),
        Alone(639, "error", sees=_refused),
    ),
)
