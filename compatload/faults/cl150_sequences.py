"""CL150: inputs that are sequences of several lengths, one after another in one tensor (LoD)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import Graph, bare_name, bare_type, operand
from compatload.faults.model import Condition, Evidence, OperatorPattern, Rule
from compatload.frozen import frozen


@frozen
class _Need:
    """The slots whose lengths an operator takes from LoD, by name and by place of PIR's operand;
    ``instead`` is the slot that gives them otherwise."""

    slots: tuple[tuple[str, str], ...]
    instead: tuple[str, str] = ("", "")


def _first(name: str, instead: tuple[str, str] = ("", "")) -> _Need:
    return _Need(((name, "0"),), instead)


_BOXES = _Need((("ROIs", "1"),), ("RoisNum", "2"))
# Read out of the sources of 2.6.2 and 3.3.1, for every operator that asks a tensor for its LoD and
# does not do without. Operands of PIR stand in the order of the legacy operator's slots.
_NEEDS: Mapping[str, _Need] = {
    **dict.fromkeys(("gru", "lstm", "lstmp", "box_clip"), _first("Input")),
    **dict.fromkeys(("attention_lstm", "fusion_gru", "fusion_lstm"), _first("X")),
    **dict.fromkeys(("fusion_seqconv_eltadd_relu", "fusion_seqpool_concat"), _first("X")),
    **dict.fromkeys(("fusion_seqpool_cvm_concat", "fused_seqpool_cvm"), _first("X")),
    **dict.fromkeys(("fusion_seqexpand_concat_fc", "pyramid_hash"), _first("X")),
    **dict.fromkeys(("sequence_concat", "sequence_conv", "sequence_enumerate"), _first("X")),
    **dict.fromkeys(("sequence_erase", "sequence_pad", "sequence_pool"), _first("X")),
    **dict.fromkeys(("sequence_reshape", "sequence_reverse", "sequence_slice"), _first("X")),
    **dict.fromkeys(("sequence_softmax", "lod_rank_table", "target_assign"), _first("X")),
    **dict.fromkeys(("sequence_expand", "sequence_expand_as"), _Need((("Y", "1"),))),
    **dict.fromkeys(("psroi_pool", "roi_align", "roi_pool"), _BOXES),
    "chunk_eval": _Need((("Inference", "0"), ("Label", "1")), ("SeqLength", "2")),
    "crf_decoding": _first("Emission", ("Length", "3")),
    "ctc_align": _first("Input", ("InputLength", "1")),
    "deformable_psroi_pooling": _Need((("ROIs", "1"),)),
    "distribute_fpn_proposals": _first("FpnRois", ("RoisNum", "1")),
    "edit_distance": _Need((("Hyps", "0"), ("Refs", "1")), ("HypsLength", "2")),
    "fused_embedding_fc_lstm": _first("Ids"),
    "fused_embedding_seq_pool": _Need((("Ids", "1"),)),
    "linear_chain_crf": _Need((("Emission", "0"), ("Label", "2")), ("Length", "3")),
    "lod_reset": _Need((("Y", "1"),)),
    "match_matrix_tensor": _Need((("X", "0"), ("Y", "1"))),
    "sequence_scatter": _Need((("Ids", "1"), ("Updates", "2"))),
    "sequence_topk_avg_pooling": _Need((("X", "0"), ("ROW", "1"), ("COLUMN", "2"))),
    "var_conv_2d": _Need((("X", "0"), ("ROW", "1"), ("COLUMN", "2"))),
    "warpctc": _Need((("Logits", "0"), ("Label", "1")), ("LogitsLength", "2")),
}
# These give their results a LoD of their own; whatever they need, they ask for above.
_MAKERS = frozenset(
    {
        *("array_to_lod_tensor", "beam_search", "beam_search_decode", "collect_fpn_proposals"),
        *("ctc_align", "detection_map", "distribute_fpn_proposals", "filter_by_instag"),
        *("generate_proposal_labels", "generate_proposals", "generate_proposals_v2", "im2sequence"),
        *("lod_reset", "matrix_nms", "merge_lod_tensor", "merge_lod_tensor_infer"),
        *("multiclass_nms", "multiclass_nms2", "multiclass_nms3", "py_func", "read_from_array"),
        *("reorder_lod_tensor_by_rank", "retinanet_detection_output", "sequence_unpad"),
        *("sequence_expand", "sequence_expand_as", "tdm_sampler", "while"),
    }
)
_FEEDS = frozenset({"data", "feed"})
# Where an operator's results have their LoD from.
_SOURCES = ("X", "Input", "Ids", "Emission", "Logits", "0")
_ABSENT = "%0"  # of a PIR operator's optional operand


@frozen
class SequenceInput:
    """An input that may be given with lengths, on ``level`` levels (0: the file does not say).

    ``needed``: an operator that computes with it cannot do without.
    """

    level: int
    needed: bool


def sequence_inputs(artifact: Artifact) -> dict[str, SequenceInput]:
    """The inputs that the program declares as sequences, or uses as such."""
    levels = artifact.program.lod_levels
    found = {name: SequenceInput(level, False) for name, level in levels.items()}
    if not _NEEDS.keys().isdisjoint(map(bare_type, artifact.program.operator_counts)):
        graph = Graph(artifact)
        for operator in graph.named(frozenset(_NEEDS)):
            for name in _inputs_needed(operator, graph):
                found[name] = SequenceInput(levels.get(name, 0), True)
    return found


def _inputs_needed(operator: Operator, graph: Graph) -> Iterator[str]:
    """The inputs of the program that an operator has its LoD from."""
    need = _NEEDS[bare_name(operator)]
    if _given(operator, need.instead):
        return
    for slot in need.slots:
        for value in _given(operator, slot):
            if bare_name(operator) == "lod_reset" and graph.dtype(value) == "int32":
                continue  # the lengths themselves
            name = _origin(value, graph)
            if name is not None:
                yield name


def _given(operator: Operator, slot: tuple[str, str]) -> tuple[str, ...]:
    values = (value for name in slot for value in operator.inputs.get(name, ()))
    return tuple(value for value in values if value != _ABSENT)


def _origin(value: str, graph: Graph) -> str | None:
    """The input whose LoD a value has; None where an operator gives it one, or there is none."""
    seen: set[str] = set()
    while value not in seen:
        seen.add(value)
        maker = graph.producer(value)
        if maker is None or bare_name(maker) in _MAKERS:
            return None
        if bare_name(maker) in _FEEDS:
            return str(maker.attributes.get("name", value))
        source = operand(maker, _SOURCES)
        if source is None:
            return None
        value = source
    return None


def _is_given_by_caller(operator: Operator, graph: Graph) -> bool:
    return any(True for _ in _inputs_needed(operator, graph))


RULE = Rule(
    id="CL150",
    title="inputs that are sequences of several lengths (LoD)",
    when=(Condition(operators=(OperatorPattern(frozenset(_NEEDS), where=_is_given_by_caller),)),),
    explanation=(
        "`gru`, `lstm`, `crf_decoding`, `sequence_pool` and their like take several sequences, one "
        "after another in one tensor, and ask the tensor for their lengths. Without these Paddle's "
        "predictor follows a null pointer. The layers of compatload take a tensor with lengths and "
        "refuse one without; a program's executor and a predictor are Paddle's own, and do not "
        "look."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "LAC 2.1.2 (gru, lstm, crf_decoding): SIGSEGV on 2.6.2 to 3.3.1"),
        Evidence("measured", "the same with lengths: one result by all ways, 2.6.2, 3.0.0, 3.3.1"),
    ),
    advice=(
        "Pass `paddle.base.create_lod_tensor(rows, [[5, 7]], paddle.CPUPlace())` for sequences of "
        "5 and 7 rows, or a Tensor after `x.get_tensor().set_lod([[0, 5, 12]])`."
    ),
)
