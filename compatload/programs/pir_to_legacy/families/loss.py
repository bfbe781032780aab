"""Losses, which inference programs rarely hold."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, rule

RULES: Mapping[str, Conversion] = {
    "cross_entropy_with_softmax": rule(
        "softmax_with_cross_entropy", "Logits Label", "Softmax Loss"
    ),
    "bce_loss": rule("bce_loss", "X Label"),
    "nll_loss": rule("nll_loss", "X Label Weight", "Out Total_weight"),
    "sigmoid_cross_entropy_with_logits": rule(
        "sigmoid_cross_entropy_with_logits", "X Label pos_weight"
    ),
    "huber_loss": rule("huber_loss", "X Y", "Out Residual"),
    "label_smooth": rule("label_smooth", "X PriorDist"),
    "log_loss": rule("log_loss", "Predicted Labels", "Loss"),
    "hinge_loss": rule("hinge_loss", "Logits Labels", "Loss"),
    "warpctc": rule("warpctc", "Logits Label LogitsLength LabelLength", "Loss WarpCTCGrad"),
    "warprnnt": rule("warprnnt", "input label input_lengths label_lengths", "loss warprnntgrad"),
    "accuracy": rule("accuracy", "Out Indices Label", "Accuracy Correct Total"),
    "edit_distance": rule("edit_distance", "Hyps Refs HypsLength RefsLength", "SequenceNum Out"),
    "hsigmoid_loss": rule(
        "hierarchical_sigmoid", "X Label W Bias PathTable PathCode", "Out PreOut W_Out"
    ),
    "identity_loss": rule("identity_loss"),
}
