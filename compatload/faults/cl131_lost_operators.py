"""CL131: operators of 2.x that 3.x has lost, and that no others are put together for."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.cl165_removed_sequences import REMOVED
from compatload.faults.graph import Graph, values_of
from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
    Where,
)
from compatload.plan import Api

# Read out of the registries: what 2.6.2 has, and no 3.x. Most are about labels, sampled boxes and
# the steps of DynamicRNN; those on sequences are composed of others (CL165).
_LOST = (
    "array_to_lod_tensor bilateral_slice box_decoder_and_assign bpr_loss check_memory_continue "
    "deformable_psroi_pooling density_prior_box detection_map dropout_nd fsp "
    "fusion_seqexpand_concat_fc generate_mask_labels "
    "generate_proposal_labels linear_chain_crf locality_aware_nms lod_rank_table "
    "lod_tensor_to_array max_sequence_len merge_lod_tensor merge_lod_tensor_infer "
    "mine_hard_examples modified_huber_loss moe polygon_box_transform positive_negative_pair "
    "precision_recall rank_loss recurrent reorder_lod_tensor_by_rank retinanet_detection_output "
    "retinanet_target_assign rpn_target_assign sampling_id shrink_rnn_memory similarity_focus "
    "split_lod_tensor spp teacher_student_sigmoid_loss transfer_dtype unique_with_counts unzip "
    "var_conv_2d"
)
_SEVERAL_LEVELS = 2
# Other data_norms are composed of quotients (CL116).
_OF_SLOTS = "data_norm"
# The translator to PIR looks for names that no dialect has; predictors run what was saved. Found by
# translating each operator of both registries alone (3.0.0, 3.3.1); others of these are repaired.
_UNTRANSLATED = "generate_proposals quant_linear"
_TRANSLATING = frozenset({Api.LAYER, Api.PROGRAM})


def _has_slots(operator: Operator, graph: Graph) -> bool:
    size = operator.attributes.get("slot_dim", -1)
    return isinstance(size, int) and size > 0


def _on_several_levels(operator: Operator, graph: Graph) -> bool:
    """Sequences of sequences, of which each operator means another level."""
    levels = graph.artifact.program.lod_levels
    return any(levels.get(value, 0) >= _SEVERAL_LEVELS for value in values_of(operator.inputs))


def _having(
    paddle: str,
    names: str,
    apis: frozenset[Api] = frozenset(),
    where: Where | None = None,
) -> Condition:
    pattern = OperatorPattern(frozenset(names.split()), where=where)
    return Condition(paddle=paddle, formats=LEGACY, apis=apis, operators=(pattern,))


RULE = Rule(
    id="CL131",
    title="operators that 3.x has lost",
    when=(
        _having(">=3.0", _LOST),
        _having(">=3.0", " ".join(sorted(REMOVED)), where=_on_several_levels),
        _having(">=3.1", _OF_SLOTS, where=_has_slots),
        _having(">=3.0", _OF_SLOTS, _TRANSLATING, _has_slots),
        _having(">=3.0", _UNTRANSLATED, _TRANSLATING),
    ),
    action=Action.REFUSE,
    error="UnsupportedOperatorError",
    explanation=(
        "No release of 3.x has them under any name: those on sampled boxes and labels, and on the "
        "steps of a DynamicRNN (`lod_rank_table` …). Its translator says that they should have a "
        "corresponding OpInfo; predictors end in a SystemError. The first version of "
        "`generate_proposals` runs in predictors alone."
    ),
    without="error",
    evidence=(
        Evidence("measured", "the registries of 2.6.2, 3.0.0, 3.1.1, 3.2.2, 3.3.0 and 3.3.1"),
        Evidence("measured", "a detector of 1.8 with generate_proposals: 3.0.0, 3.1.1"),
    ),
    advice="Load it with paddlepaddle 2.6.2, or write the model without these operators.",
    alone=(Alone(357),),
)
