"""CL216 to CL220, CL223, CL230: what the predictor's passes get wrong in silence, most in oneDNN.

CL222, CL224 to CL229 and CL231 are what oneDNN's operators and the predictor refuse.
"""

from __future__ import annotations

from dataclasses import replace

from compatload.plan import Api
from compatload.rules.model import (
    Action,
    AttributeTest,
    Comparison,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.rules.predictor import FUSED_ACTIVATIONS, PLACEMENT_PASS

_PREDICTOR = frozenset({Api.PREDICTOR})
_CPU = frozenset({"cpu"})
_LEGACY = frozenset({"legacy"})
_PIR = frozenset({"pir"})
# A predictor on the CPU puts what it can into oneDNN by itself.
_LEGACY_IN_ONEDNN = Condition(apis=_PREDICTOR, runs_as=_LEGACY, devices=_CPU)
PIR_IN_ONEDNN = Condition(paddle=">=3.0", apis=_PREDICTOR, runs_as=_PIR, devices=_CPU)

# Those whose activation a pass takes in.
ACTIVATED_CONVOLUTIONS = frozenset({"conv2d", "depthwise_conv2d"})
CONVOLUTIONS = ACTIVATED_CONVOLUTIONS | {
    *("conv2d_transpose", "conv3d", "depthwise_conv2d_transpose"),
}
_MULTIPLICATIONS = frozenset({"bmm", "matmul", "matmul_v2"})
_BIAS_OR_NORMALISATION = frozenset({"add", "batch_norm", "elementwise_add"})
# A convolution takes in one that oneDNN has no operator for; with some of the others after it.
_CONVOLUTIONS_ACTIVATIONS = FUSED_ACTIVATIONS | {"hard_sigmoid", "hardsigmoid"}
# What leaves the channels last, where a convolution has put them.
_IN_ORDER = _BIAS_OR_NORMALISATION | _CONVOLUTIONS_ACTIVATIONS | {"pool2d"}
INTERPOLATION_OF_ONE_PLACE = {
    family: (
        OperatorPattern(names, single_place=True, unless_after=CONVOLUTIONS, through=_IN_ORDER),
    )
    for family, names in {
        "legacy": frozenset({"nearest_interp", "nearest_interp_v2"}),
        "pir": frozenset({"bilinear_interp", "nearest_interp"}),
    }.items()
}
# Of oneDNN's operators those for PIR that were seen to refuse a tensor without elements, and the
# likes of them. Sums, activations, casts and concat take it.
REFUSING_EMPTY = _MULTIPLICATIONS | {
    *("layer_norm", "pool2d", "reshape", "scale", "slice", "softmax", "split", "split_with_num"),
    *("squeeze", "transpose", "unsqueeze", "strided_slice", "mean", "sum", "max", "min"),
    *("conv2d", "bilinear_interp", "nearest_interp", "pad3d", "batch_norm", "log_softmax"),
}
_FLOAT32 = 5  # in the framework's VarType
_NO_DIMENSIONS = AttributeTest("shape", Comparison.EQUALS, ())
# What of oneDNN was seen to refuse a number without dimensions, by its names in both formats.
_REFUSING = FUSED_ACTIVATIONS | {
    *("add", "divide", "multiply", "subtract", "reshape", "reshape2", "scale"),
    *("elementwise_add", "elementwise_div", "elementwise_mul", "elementwise_sub"),
}
# Operators after which the channels are no longer last in memory, or no longer there. Those that
# reorder were tried between a convolution and a product, and so was what does not (concat, exp …).
_REORDERING = frozenset(
    {
        *("flatten", "flatten2", "flatten_contiguous_range", "reshape", "reshape2"),
        *("transpose", "transpose2", "squeeze", "squeeze2", "shape", "shape64"),
    }
)
# These reorder as well, but for those over the last axis alone.
REDUCTIONS = frozenset(
    {
        *("max", "mean", "min", "sum"),
        *("reduce_max", "reduce_mean", "reduce_min", "reduce_sum"),
    }
)

ONEDNN_RULES = (
    Rule(
        id="CL216",
        title="batch normalisation fused with relu, oneDNN",
        when=(
            Condition(
                apis=_PREDICTOR,
                devices=_CPU,
                operators=(OperatorPattern(frozenset({"batch_norm"}), feeds=frozenset({"relu"})),),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "In legacy programs the pass takes the normalised value away, whoever else reads it: "
            "no predictor is made, or it dies. And the operator that it makes hands on what is "
            "not a number, of which Paddle's relu makes 0: networks that overflow somewhere "
            "return other numbers. Where a convolution stands before, the normalisation is folded "
            "into that anyway, so little is lost."
        ),
        without="wrong",
        evidence=(
            Evidence(
                "measured",
                "y = batch_norm(x); relu(y) + y: an error on 2.6.2, 3.0.0 and 3.3.1; SIGSEGV "
                "where y is an output; relu(batch_norm(log(-1))) is NaN in place of 0",
            ),
            Evidence(
                "measured",
                "PaddleClas RedNet26 saved by 2.6.2: difference 0.88 on 2.6.2, 3.0.0 and 3.3.1, "
                "1e-6 without the pass; its random weights overflow",
            ),
            Evidence("measured", "the same saved and loaded by 3.3.1: 0.88, and 9e-7 without it"),
        ),
        parameters=("batch_norm_act_fuse_pass",),
    ),
    Rule(
        id="CL217",
        title="fully connected layer times a number, oneDNN, legacy program",
        when=(
            replace(
                _LEGACY_IN_ONEDNN,
                operators=(
                    OperatorPattern(
                        frozenset({"fc", "matmul", "matmul_v2", "mul"}),
                        feeds=frozenset({"scale"}),
                        through=FUSED_ACTIVATIONS | {"add", "elementwise_add"},
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation="The pass takes the factor into the layer, which then leaves it out.",
        without="wrong",
        evidence=(
            Evidence("measured", "linear(x) * 2 is linear(x) on 2.6.2, 3.0.0 and 3.3.1"),
            Evidence("measured", "with relu between them, and with an addend: 0.44"),
        ),
        parameters=("operator_scale_onednn_fuse_pass",),
    ),
    Rule(
        id="CL218",
        title="convolution multiplied as a matrix, oneDNN",
        when=(
            Condition(
                apis=_PREDICTOR,
                devices=_CPU,
                operators=(
                    OperatorPattern(
                        CONVOLUTIONS,
                        feeds=_MULTIPLICATIONS,
                        unless_through=_REORDERING,
                        on_last_axis=REDUCTIONS,
                    ),
                ),
            ),
        ),
        action=Action.DISABLE_ONEDNN,
        explanation=(
            "A convolution leaves its result with the channels last in memory, and the product "
            "reads it as if they were not. Leaving the product alone out of oneDNN is not enough: "
            "the passes for PIR put it back, and those of 2.6 then refuse its activation."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "matmul(conv2d(x), conv2d(x)): 0.73 on 2.6.2, 3.0.0 and 3.3.1"),
            Evidence("measured", "the same saved by 3.3.1: 0.97 on 3.0.0 and 3.3.1"),
            Evidence("measured", "y = conv2d(x).sum(-1, keepdim=True); y @ y.T: 51, all releases"),
        ),
    ),
    Rule(
        id="CL219",
        title="division of a smaller tensor by a larger one, oneDNN",
        when=(
            replace(
                _LEGACY_IN_ONEDNN,
                operators=(
                    OperatorPattern(frozenset({"divide", "elementwise_div"}), widened=True),
                ),
            ),
            replace(
                PIR_IN_ONEDNN,
                paddle=">=3.0,<3.3",
                operators=(OperatorPattern(frozenset({"divide"}), widened=True),),
            ),
        ),
        action=Action.DISABLE_ONEDNN,
        explanation=(
            "The operands change places where the first has fewer elements, and the result is the "
            "inverse of what it should be, without an error."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "ones([1]) / x is x, legacy: 2.6.2, 3.0.0, 3.1.1, 3.2.2, 3.3.1"),
            Evidence("measured", "saved by 3.3.1: the same on 3.0.0, 3.1.1, 3.2.2; right on 3.3.1"),
            Evidence("measured", "positions of PaddleDetection's DETR: [1, 3, 3, 1] / [32]"),
        ),
    ),
    Rule(
        id="CL220",
        title="matrix product times a number, legacy program",
        when=(
            Condition(
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                operators=(
                    OperatorPattern(
                        frozenset({"matmul", "matmul_v2", "mul"}), feeds=frozenset({"scale"})
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The pass multiplies the stored weight by the number, whoever else reads that weight, "
            "and takes the product away, whoever else reads that."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "matmul(x, w) * 2 + w: 0.20 on 2.6.2, 3.0.0 and 3.3.1"),
            Evidence("measured", "the product read twice: no predictor is made"),
            Evidence("measured", "PaddleDetection's GFL: 4 boxes in place of 20"),
        ),
        parameters=("matmul_v2_scale_fuse_pass", "matmul_scale_fuse_pass"),
    ),
    Rule(
        id="CL222",
        title="number without dimensions, oneDNN, legacy program",
        when=(
            replace(
                _LEGACY_IN_ONEDNN,
                operators=(
                    OperatorPattern(
                        frozenset({"fill_constant"}),
                        (_NO_DIMENSIONS, AttributeTest("dtype", Comparison.EQUALS, _FLOAT32)),
                        feeds=_REFUSING,
                    ),
                    OperatorPattern(
                        frozenset({"full"}),
                        (_NO_DIMENSIONS, AttributeTest("dtype", Comparison.EQUALS, "float32")),
                        feeds=_REFUSING,
                    ),
                ),
            ),
        ),
        action=Action.DISABLE_ONEDNN,
        explanation=(
            "The operators of oneDNN that read such a constant (sums, products, activations, "
            "scale; on 3.x reshape, too) cannot describe it: `could not reshape a memory "
            "descriptor`."
        ),
        without="error",
        evidence=(
            Evidence("measured", "conv2d(x) + paddle.ones([]), 2.6.2 → 2.6.2, 3.0.0, 3.3.1"),
            Evidence("measured", "relu and scale of paddle.full([], 0.5): the same"),
        ),
    ),
    Rule(
        id="CL223",
        title="two activations after a convolution, oneDNN, legacy program",
        when=(
            replace(
                _LEGACY_IN_ONEDNN,
                operators=(
                    OperatorPattern(
                        ACTIVATED_CONVOLUTIONS,
                        feeds=_CONVOLUTIONS_ACTIVATIONS,
                        through=_BIAS_OR_NORMALISATION,
                        then=_CONVOLUTIONS_ACTIVATIONS,
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "As CL209 for convolutions: the second activation is fused over the first, which is "
            "lost without an error. Files of 2.5 and later hide it where there is a bias, since "
            "that is not fused itself; without one, or behind batch normalisation, they have it."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "relu(gelu(conv2d(x))): 0.17 on 2.6.2, 3.0.0 and 3.3.1"),
            Evidence("measured", "sigmoid(relu(conv2d(x))) with a bias along its axis: 0.49"),
            Evidence("measured", "the same as a PIR program, and transposed: right"),
        ),
        parameters=("conv_activation_mkldnn_fuse_pass", "conv_activation_onednn_fuse_pass"),
    ),
    Rule(
        id="CL224",
        title="tensor without elements, oneDNN, PIR program",
        when=(
            replace(
                PIR_IN_ONEDNN,
                operators=(OperatorPattern(REFUSING_EMPTY, empty=True),),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "oneDNN describes no memory of zero elements: most of its operators end in "
            "`std::exception`, and pooling destroys the stack. Without the placement pass they "
            "run elsewhere."
        ),
        without="crash",
        evidence=(
            Evidence("measured", "x[:, 0:0], saved by 3.3.1: an error on 3.0.0, 3.2.2 and 3.3.1"),
            Evidence("measured", "max_pool2d of full([2, 0, 6, 5]), 3.3.1: SIGABRT"),
            Evidence("measured", "PaddleClas SVTR_tiny, whose position table has an empty part"),
        ),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL225",
        title="slice without elements, oneDNN, legacy program",
        when=(
            replace(
                _LEGACY_IN_ONEDNN,
                operators=(OperatorPattern(frozenset({"slice"}), empty=True),),
            ),
        ),
        action=Action.WITHOUT_ONEDNN,
        explanation=(
            "As CL224 in legacy programs, where only the slice is concerned: it is left out of "
            "the list that oneDNN may take."
        ),
        without="error",
        evidence=(
            Evidence("measured", "x[:, 0:0] saved by 2.6.2: an error on 2.6.2, 3.0.0 and 3.3.1"),
        ),
    ),
    Rule(
        id="CL226",
        title="padding with channels last, oneDNN, PIR program",
        when=(
            replace(
                PIR_IN_ONEDNN,
                operators=(
                    OperatorPattern(
                        frozenset({"pad3d"}),
                        (AttributeTest("data_format", Comparison.EQUALS, "NDHWC"),),
                        feeds=frozenset({"squeeze"}),
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "oneDNN pads the last dimensions, whatever the layout says. What follows ends in "
            "`std::exception` or has another shape. Images are padded so, between an unsqueeze "
            "and a squeeze; legacy programs are right."
        ),
        without="wrong",
        evidence=(
            Evidence(
                "measured",
                "pad(x, [1, 1, 2, 0], data_format='NHWC') and 'NLC', saved by 3.0.0 and 3.3.1: an "
                "error on 3.0.0, 3.2.2 and 3.3.1; between two relu: (2, 6, 7, 4) for (2, 8, 7, 2)",
            ),
        ),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL227",
        title="nearest interpolation of a single place, oneDNN, legacy program",
        when=(
            Condition(
                paddle=">=3.0",
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                devices=_CPU,
                operators=INTERPOLATION_OF_ONE_PLACE["legacy"],
            ),
        ),
        action=Action.WITHOUT_ONEDNN,
        explanation=(
            "An image of one by one lies in memory alike in every order, oneDNN takes it for one "
            "of channels last and writes beyond its buffer: other numbers, a hang, or a process "
            "that dies later of something else. 2.6 is right, and so is what a convolution made."
        ),
        without="crash",
        evidence=(Evidence("measured", "interpolate(adaptive_avg_pool2d(x, 1)), 3.0.0 and 3.3.1"),),
    ),
    Rule(
        id="CL228",
        title="interpolation of a single place, oneDNN, PIR program, 3.0 to 3.2",
        when=(
            replace(
                PIR_IN_ONEDNN,
                paddle=">=3.0,<3.3",
                operators=INTERPOLATION_OF_ONE_PLACE["pir"],
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation="As CL227 in the passes for PIR, and for bilinear interpolation, too.",
        without="crash",
        evidence=(
            Evidence("measured", "interpolate(conv2d(x)[:, :, :1, :1]): SIGABRT or SIGSEGV, 3.2.2"),
        ),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL229",
        title="input that is an output, PIR program",
        when=(
            Condition(
                paddle=">=3.1",
                apis=_PREDICTOR,
                runs_as=_PIR,
                devices=_CPU,
                operators=(OperatorPattern(frozenset({"data"}), feeds=frozenset({"fetch"})),),
            ),
        ),
        action=Action.AS_LEGACY,
        explanation=(
            "An output that nothing computes (a network of dropout alone, for one) has the input's "
            "name, and the predictor refuses it: `More than one shadow output`. In a legacy "
            "program it has another one."
        ),
        without="error",
        evidence=(
            Evidence("measured", "alpha_dropout saved by 3.0.0 and 3.3.1: 3.2.2, 3.3.0, 3.3.1"),
        ),
    ),
    Rule(
        id="CL230",
        title="addition to a convolution along another axis, oneDNN, PIR program",
        when=(
            replace(
                PIR_IN_ONEDNN,
                operators=(
                    OperatorPattern(frozenset({"add"}), after=CONVOLUTIONS, unlike_bias=True),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The pass takes what is added to a convolution without a bias for its bias, by the "
            "number of its elements alone: a row as wide as there are channels is added to the "
            "channels in silence, any other row or number ends in `std::exception`. Legacy "
            "programs are right."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "conv2d(x) + w, 4 channels, x and w 4 wide: 0.17, 3.0.0, 3.3.1"),
            Evidence("measured", "the same 6 wide, and w of one element: an error on both"),
            Evidence("measured", "w of (1, 4) and (1, 4, 1); depthwise, 3d; transposed for (4,)"),
        ),
        parameters=(
            "conv2d_bias_fuse_pass",
            "conv2d_transpose_bias_fuse_pass",
            "conv3d_bias_fuse_pass",
            *PLACEMENT_PASS,
        ),
    ),
    Rule(
        id="CL231",
        title="turned, reshaped and joined, oneDNN, PIR program",
        when=(
            replace(
                PIR_IN_ONEDNN,
                operators=(
                    OperatorPattern(
                        frozenset({"transpose"}),
                        feeds=frozenset({"reshape"}),
                        then=frozenset({"combine"}),
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The pass takes a reshape into the transpose before it and leaves the result with the "
            "old shape, which a list of tensors (concat, stack) refuses: `The type … of outputs "
            "must be equal to type … of inputs`. RT-DETR's encoder does this."
        ),
        without="error",
        evidence=(
            Evidence(
                "measured",
                "concat([y, y]) of y = x.transpose([0, 2, 1]).reshape([-1, 9, 2, 2]): 3.2.2, 3.3.1",
            ),
            Evidence("measured", "RT-DETR saved by 3.3.1: 3.0.0, 3.1.1 and 3.2.2"),
            Evidence("measured", "reshape to [0, 0, -1], or relu before the concat: right"),
        ),
        parameters=("operator_reshape_onednn_fuse_pass",),
    ),
)
