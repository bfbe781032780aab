"""What a plan for a predictor goes on with where the predictor crashes, hangs or errs. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compatload.artifact.model import TensorSpec
from compatload.faults.cl232_overwritten import RULE as OVERWRITTEN
from compatload.faults.cl233_outputs_alike import RULE as OUTPUTS_ALIKE
from compatload.plan import Plan, PredictorOptions, Step, Strategy

# What looks at one reader of a value, or at one maker.
_REUSE_PASSES = (*OVERWRITTEN.parameters, *OUTPUTS_ALIKE.parameters)
# Passes of 2.6.2 to 3.3.1 that make one operator of several, on a CPU: names of the passes for
# legacy programs (mkldnn, onednn and plain) and of those for PIR. Names unknown to a release are
# no error in delete_pass().
FUSION_PASSES = (
    "add_norm_fuse_pass",
    "attention_lstm_fuse_pass",
    "batch_norm_act_fuse_pass",
    "conv2d_add_act_fuse_pass",
    "conv2d_add_fuse_pass",
    "conv2d_bias_bn_onednn_fuse_pass",
    "conv2d_bias_fuse_pass",
    "conv2d_bn_fuse_pass",
    "conv2d_bn_onednn_fuse_pass",
    "conv2d_transpose_bias_bn_fuse_pass",
    "conv2d_transpose_bias_fuse_pass",
    "conv2d_transpose_bn_fuse_pass",
    "conv3d_bias_fuse_pass",
    "conv3d_bias_mkldnn_fuse_pass",
    "conv3d_bias_onednn_fuse_pass",
    "conv_activation_mkldnn_fuse_pass",
    "conv_activation_onednn_fuse_pass",
    "conv_affine_channel_mkldnn_fuse_pass",
    "conv_affine_channel_onednn_fuse_pass",
    "conv_bias_mkldnn_fuse_pass",
    "conv_bias_onednn_fuse_pass",
    "conv_bn_fuse_pass",
    "conv_concat_activation_mkldnn_fuse_pass",
    "conv_concat_activation_onednn_fuse_pass",
    "conv_elementwise_add_fuse_pass",
    "conv_elementwise_add_mkldnn_fuse_pass",
    "conv_elementwise_add_onednn_fuse_pass",
    "conv_eltwiseadd_bn_fuse_pass",
    "conv_transpose_bias_mkldnn_fuse_pass",
    "conv_transpose_bias_onednn_fuse_pass",
    "conv_transpose_bn_fuse_pass",
    "conv_transpose_eltwiseadd_bn_fuse_pass",
    "depthwise_conv_bn_fuse_pass",
    "depthwise_conv_eltwiseadd_bn_fuse_pass",
    "elementwise_act_onednn_fuse_pass",
    "elt_act_mkldnn_fuse_pass",
    "embedding_eltwise_layernorm_fuse_pass",
    "embedding_fc_lstm_fuse_pass",
    "fc_act_mkldnn_fuse_pass",
    "fc_act_onednn_fuse_pass",
    "fc_activation_fuse_pass",
    "fc_fuse_pass",
    "fc_gru_fuse_pass",
    "fc_lstm_fuse_pass",
    "fc_mkldnn_pass",
    "fc_onednn_enable_pass",
    "gpu_cpu_map_matmul_to_mul_pass",
    "layer_norm_fuse_pass",
    "layer_norm_onednn_optimization_pass",
    "matmul_activation_mkldnn_fuse_pass",
    "matmul_activation_onednn_fuse_pass",
    "matmul_add_act_fuse_pass",
    "matmul_elementwise_add_mkldnn_fuse_pass",
    "matmul_elementwise_add_onednn_fuse_pass",
    "matmul_scale_fuse_pass",
    "matmul_transpose_reshape_fuse_pass",
    "matmul_transpose_reshape_mkldnn_fuse_pass",
    "matmul_transpose_reshape_onednn_fuse_pass",
    "matmul_v2_scale_fuse_pass",
    "mul_gru_fuse_pass",
    "mul_lstm_fuse_pass",
    "multi_gru_fuse_pass",
    "multi_gru_seq_fuse_pass",
    "operator_reshape2_onednn_fuse_pass",
    "operator_reshape_onednn_fuse_pass",
    "operator_scale_onednn_fuse_pass",
    "operator_unsqueeze2_onednn_fuse_pass",
    "operator_unsqueeze_onednn_fuse_pass",
    "repeated_fc_relu_fuse_pass",
    "reshape_transpose_matmul_fuse_pass",
    "reshape_transpose_matmul_mkldnn_fuse_pass",
    "scale_matmul_fuse_pass",
    "self_attention_fuse_pass",
    "seq_concat_fc_fuse_pass",
    "seqconv_eltadd_relu_fuse_pass",
    "seqpool_concat_fuse_pass",
    "seqpool_cvm_concat_fuse_pass",
    "shuffle_channel_mkldnn_detect_pass",
    "softplus_activation_mkldnn_fuse_pass",
    "softplus_activation_onednn_fuse_pass",
    "squared_mat_sub_fuse_pass",
    "squeeze2_transpose2_onednn_fuse_pass",
    "transpose_flatten_concat_fuse_pass",
)


# What goes into a predictor as it is and comes out of it (2.6.2 to 3.3.1): `share_external_data`
# and `copy_to_cpu` refuse complex numbers, int16 and, up to 2.6, int8; bfloat16 comes out as other
# numbers.
CARRIED = frozenset({"bool", "uint8", "int32", "int64", "float16", "float32", "float64"})


def with_further_steps(plan: Plan, ends: Iterable[TensorSpec] = ()) -> Plan:
    """``plan`` of a predictor, with slower and plainer ways after each that it already has; the
    plainest alone where one of the program's ``ends``, inputs and outputs, has a dtype that no
    predictor carries."""
    further: dict[Step, None] = {}
    for step in plan.steps:
        further.update(dict.fromkeys(_plainer(step)))
    if not plan.steps:
        return plan
    layer = Step(
        Strategy.LAYER, "Paddle's own layer, several times slower, without a predictor's passes"
    )
    if any(spec.dtype is not None and spec.dtype not in CARRIED for spec in ends):
        return replace(plan, steps=(layer,))
    return replace(plan, steps=(*plan.steps, *further, layer))


def plain(options: PredictorOptions) -> PredictorOptions:
    """The same without oneDNN and without any pass: the program as it was saved."""
    return replace(
        options,
        onednn=False,
        onednn_operators=None,
        ir_optim=False,
        memory_optim=False,
        delete_passes=(),
    )


def _plainer(step: Step) -> tuple[Step, ...]:
    options = step.options
    passes = tuple(dict.fromkeys((*options.delete_passes, *FUSION_PASSES, *_REUSE_PASSES)))
    without_onednn = replace(options, onednn=False, onednn_operators=None)
    steps = [
        replace(
            step,
            variant="without fusions",
            reason="operators run one by one, oneDNN's where there are some",
            options=replace(options, delete_passes=passes),
        ),
        replace(
            step, variant="without oneDNN", reason="Paddle's own kernels", options=without_onednn
        ),
        replace(
            step,
            variant="as saved",
            reason="Paddle's own kernels, and the program without any pass",
            options=plain(options),
        ),
    ]
    return tuple(each for each in steps if each.options != options)
