"""Losses, which inference programs rarely hold."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import Conversion, meaningful, rule, special
from compatload.programs.pir_to_legacy.steps import binary, finish, given, unary

_SIGMOID = "sigmoid_cross_entropy_with_logits"


@special("ignore_index normalize", operands=3)
def _weighted(operation: Operation, out: Emitter) -> None:
    """2.6 counts weights of positives otherwise (CL155): (w - 1) · log(1 + exp(-x)) is added to
    the loss without them."""
    source, result = given(operation, 0), operation.results[0]
    inputs = {"X": out.name(source), "Label": out.operand(operation, 1)}
    weight = operation.operand(2)
    if weight is None:
        finish(out, _SIGMOID, inputs, result, **meaningful(operation))
        return
    type_ = source.type
    turned = unary(out, "scale", inputs["X"], type_, scale=-1.0, bias=0.0)
    rest = unary(out, "softplus", turned, type_, beta=1.0, threshold=20.0)
    raised = unary(out, "scale", out.name(weight), weight.type, scale=1.0, bias=-1.0)
    more = binary(out, "elementwise_mul", rest, raised, type_)
    plain = out.emit_new(_SIGMOID, inputs, "Out", type_, operation.attributes)
    finish(out, "elementwise_add", {"X": plain, "Y": more}, result, axis=-1)


RULES: Mapping[str, Conversion] = {
    "cross_entropy_with_softmax": rule(
        "softmax_with_cross_entropy", "Logits Label", "Softmax Loss"
    ),
    "bce_loss": rule("bce_loss", "X Label"),
    "nll_loss": rule("nll_loss", "X Label Weight", "Out Total_weight"),
    "sigmoid_cross_entropy_with_logits": _weighted,
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
