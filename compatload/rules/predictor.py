"""CL2xx: what goes wrong inside the inference predictor."""

from __future__ import annotations

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

_PREDICTOR = frozenset({Api.PREDICTOR})
_PIR = frozenset({"pir"})
_CPU = frozenset({"cpu"})
_X86 = frozenset({"x86_64"})
_LEGACY = frozenset({"legacy"})

# Puts operators of PIR programs into oneDNN; without it most of them are computed elsewhere.
PLACEMENT_PASS = ("onednn_placement_pass",)

# Activations that the passes around oneDNN's fully connected operator fuse (PIR and legacy names).
FUSED_ACTIVATIONS = frozenset(
    {
        "abs",
        "clip",
        "gelu",
        "hard_swish",
        "hardswish",
        "leaky_relu",
        "mish",
        "relu",
        "relu6",
        "sigmoid",
        "sqrt",
        "swish",
        "tanh",
    }
)

# Passes that fuse what follows an aligned addition into it, and take its axis for -1 (CL215).
ALIGNED_ADDITION_PASSES = (
    "operator_scale_onednn_fuse_pass",
    "elementwise_act_onednn_fuse_pass",
)

# Paddle's elementwise operators take tensors of up to this many dimensions.
MOST_AXES = 9

PREDICTOR_RULES = (
    Rule(
        id="CL201",
        title="bilinear or nearest interpolation, oneDNN, 3.3",
        when=(
            Condition(
                paddle=">=3.3,<3.4",
                apis=_PREDICTOR,
                formats=_PIR,
                devices=_CPU,
                operators=(OperatorPattern(frozenset({"bilinear_interp", "nearest_interp"})),),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "3.3 made the scale an array of doubles, which its oneDNN instruction cannot convert, "
            "not even an empty one. Without the placement pass the operator runs outside oneDNN; "
            "fused convolutions stay inside."
        ),
        without="error",
        evidence=(
            Evidence("measured", "3.3.0 and 3.3.1, saved by 3.0.0 and 3.3.1: every such model"),
            Evidence("thread", "PaddlePaddle/Paddle/issues/77340"),
            Evidence("thread", "PaddlePaddle/PaddleOCR/issues/17539"),
        ),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL202",
        title="leaky_relu fused into a oneDNN convolution, 3.3",
        when=(
            Condition(
                paddle=">=3.3,<3.4",
                apis=_PREDICTOR,
                formats=_PIR,
                devices=_CPU,
                operators=(OperatorPattern(frozenset({"leaky_relu"})),),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "3.3 made the slope a double; the pass that fuses an activation into a convolution "
            "still reads it as a float and dereferences a null pointer (SIGSEGV)."
        ),
        without="crash",
        evidence=(
            Evidence("measured", "3.3.0 and 3.3.1: convolution (and batch norm), then leaky_relu"),
        ),
        parameters=("conv_activation_onednn_fuse_pass",),
    ),
    Rule(
        id="CL203",
        title="bilinear interpolation with align_corners or align_mode 1, oneDNN, 3.0 to 3.2",
        when=(
            Condition(
                paddle=">=3.0,<3.3",
                apis=_PREDICTOR,
                formats=_PIR,
                devices=_CPU,
                operators=(
                    OperatorPattern(
                        frozenset({"bilinear_interp"}),
                        (AttributeTest("align_corners", Comparison.EQUALS, True),),
                    ),
                    OperatorPattern(
                        frozenset({"bilinear_interp"}),
                        (AttributeTest("align_mode", Comparison.EQUALS, 1),),
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The oneDNN kernel ignores both attributes and returns other numbers without an "
            "error. Without the placement pass the operator runs outside oneDNN."
        ),
        without="wrong",
        evidence=(Evidence("measured", "3.0.0 and 3.2.2: differences of 0.7 to 2.8"),),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL204",
        title="memory optimisation of a PIR program",
        when=(Condition(paddle=">=3.0", apis=_PREDICTOR, formats=_PIR),),
        action=Action.DISABLE_MEMORY_OPTIM,
        explanation=(
            "memory_optimize_pass belongs to the legacy program; asking for it with a PIR program "
            "ends in an assertion."
        ),
        without="error",
        evidence=(Evidence("measured", "Config.enable_memory_optim, 3.0.0 and 3.3.1"),),
    ),
    Rule(
        id="CL205",
        title="oneDNN on a CPU with AVX2 but without FMA",
        when=(
            Condition(
                apis=_PREDICTOR,
                devices=_CPU,
                architectures=_X86,
                cpu_has=frozenset({"avx2"}),
                cpu_lacks=frozenset({"fma"}),
            ),
        ),
        action=Action.DISABLE_ONEDNN,
        explanation=(
            "oneDNN takes AVX2 to imply FMA and ends in SIGILL on CPUs such as some Zhaoxin ones."
        ),
        without="crash",
        evidence=(Evidence("measured", "emulated Haswell without FMA, 2.6.2 … 3.3.1"),),
    ),
    Rule(
        id="CL206",
        title="convolution fusions on ROCm",
        when=(
            Condition(paddle=">=3.0", apis=_PREDICTOR, formats=_PIR, flavours=frozenset({"rocm"})),
        ),
        action=Action.DELETE_PASSES,
        explanation="The fused operator that these passes make exists for CUDA only.",
        without="error",
        evidence=(Evidence("thread", "PaddlePaddle/Paddle/issues/68931"),),
        parameters=("conv2d_add_act_fuse_pass", "conv2d_add_fuse_pass"),
    ),
    Rule(
        id="CL207",
        title="nearest interpolation by anything but a whole factor, oneDNN, PIR program",
        when=(
            Condition(
                paddle=">=3.0,<3.3",
                apis=_PREDICTOR,
                formats=_PIR,
                devices=_CPU,
                operators=(
                    OperatorPattern(
                        frozenset({"nearest_interp"}),
                        (AttributeTest("scale", Comparison.NOT_INTEGERS),),
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "oneDNN takes the pixel whose centre is nearest, Paddle the one at floor(i / factor): "
            "they agree for whole factors only. The numbers are wrong without an error."
        ),
        without="wrong",
        evidence=(Evidence("measured", "3.0.0 and 3.2.2: 8×8 to 12×12, 4×4, 7×9, factor 0.5"),),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL208",
        title="nearest interpolation by anything but a whole factor, oneDNN, legacy program",
        when=(
            Condition(
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                devices=_CPU,
                operators=(
                    OperatorPattern(
                        frozenset({"nearest_interp", "nearest_interp_v2"}),
                        (AttributeTest("scale", Comparison.NOT_INTEGERS),),
                    ),
                ),
            ),
        ),
        action=Action.WITHOUT_ONEDNN,
        explanation=(
            "As CL207, in the passes for legacy programs, on every release from 2.6.2 to 3.3.1. "
            "The operator is left out of the list that oneDNN may take."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "2.6.2 itself, and 2.6.2 → 3.0.0, 3.2.2, 3.3.1"),
            Evidence("measured", "3.0.0 → 2.6.2, converted: 8×8 to 7×9 differs by 3.66"),
        ),
    ),
    Rule(
        id="CL209",
        title="two activations after a fully connected layer, oneDNN",
        when=(
            Condition(
                apis=_PREDICTOR,
                devices=_CPU,
                operators=(OperatorPattern(FUSED_ACTIVATIONS, feeds=FUSED_ACTIVATIONS),),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The pass fuses the first activation into the layer, then the second over it: the "
            "first one is lost and the numbers are wrong (or NaN) without an error."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "2.6.2, 3.0.0, 3.2.2, 3.3.1: linear → abs → sqrt gives NaN"),
            Evidence("measured", "the same: gelu → relu, hardswish → relu, leaky_relu → tanh …"),
        ),
        parameters=(
            "fc_activation_fuse_pass",
            "fc_act_onednn_fuse_pass",
            "fc_act_mkldnn_fuse_pass",
        ),
    ),
    Rule(
        id="CL210",
        title="PIR program without parameters, 3.0",
        when=(Condition(paddle=">=3.0,<3.1", apis=_PREDICTOR, formats=_PIR, parameterless=True),),
        action=Action.ADD_PARAMETER,
        explanation=(
            "The predictor of 3.0 wants a weights file with at least one tensor. The program gets "
            "a parameter of one element that nothing reads."
        ),
        without="error",
        evidence=(Evidence("measured", "3.0.0; 3.1.0 and later do without"),),
    ),
    Rule(
        id="CL211",
        title="convolution with channels last, oneDNN, legacy program",
        when=(
            Condition(
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                devices=_CPU,
                operators=tuple(
                    OperatorPattern(
                        frozenset({"conv2d", "depthwise_conv2d", "conv2d_transpose", "conv3d"}),
                        (AttributeTest("data_format", Comparison.EQUALS, layout),),
                    )
                    for layout in ("NHWC", "NDHWC")
                ),
            ),
        ),
        action=Action.DISABLE_ONEDNN,
        explanation=(
            "The bias that follows such a convolution is added along the wrong axis: 3.x returns "
            "other numbers without an error, 2.6 cannot create the operator."
        ),
        without="wrong",
        evidence=(
            Evidence("measured", "saved by 2.6.2: difference 0.82 on 3.3.1, an error on 2.6.2"),
        ),
    ),
    Rule(
        id="CL212",
        title="padding of any dimension (pad), oneDNN, legacy program",
        when=(
            Condition(
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                devices=_CPU,
                operators=(OperatorPattern(frozenset({"pad"})),),
            ),
        ),
        action=Action.WITHOUT_ONEDNN,
        explanation=(
            "The oneDNN kernel takes the paddings from the last dimension to the first, Paddle the "
            "other way round: it writes beyond its buffer, and the process hangs, dies, or returns "
            "another shape. pad3d is not concerned."
        ),
        without="crash",
        evidence=(
            Evidence("measured", "2.6.2 and 3.3.1: eight paddings of 4-D images, 2-D and 3-D ones"),
        ),
    ),
    Rule(
        id="CL213",
        title="padding of any dimension (pad), oneDNN, PIR program",
        when=(
            Condition(
                apis=_PREDICTOR,
                runs_as=_PIR,
                devices=_CPU,
                operators=(OperatorPattern(frozenset({"pad"})),),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation="As CL212, for PIR programs: without the placement pass pad runs elsewhere.",
        without="crash",
        evidence=(Evidence("measured", "3.0.0 and 3.3.1: hangs, aborts, or wrong shapes"),),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL214",
        title="layer normalisation over more than the last axis, oneDNN, PIR program",
        when=(
            Condition(
                apis=_PREDICTOR,
                runs_as=_PIR,
                devices=_CPU,
                operators=(
                    OperatorPattern(
                        frozenset({"layer_norm"}),
                        (AttributeTest("begin_norm_axis", Comparison.NOT_LAST_AXIS),),
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The oneDNN kernel knows the last axis only, and the pass for PIR programs does not "
            "ask; the one for legacy programs does."
        ),
        without="error",
        evidence=(Evidence("measured", "LayerNorm([6, 6]) and ([3, 6]), 3.0.0 and 3.3.1"),),
        parameters=PLACEMENT_PASS,
    ),
    Rule(
        id="CL215",
        title="aligned addition and what follows it fused, oneDNN, legacy program, 3.x",
        when=(
            Condition(
                paddle=">=3.0",
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                devices=_CPU,
                operators=tuple(
                    OperatorPattern(
                        frozenset({"elementwise_add", "elementwise_mul", "elementwise_sub"}),
                        (AttributeTest("axis", Comparison.EQUALS, axis),),
                        feeds=FUSED_ACTIVATIONS | {"scale"},
                    )
                    for axis in range(MOST_AXES)
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The operator that the passes make out of both compares the shapes as if `axis` were "
            "-1, and refuses a bias of [channels] where the last dimension is another."
        ),
        without="error",
        evidence=(
            Evidence(
                "measured", "[2, 4, 6, 6] + [4] with axis 1, then scale or relu: 3.0.0, 3.3.1"
            ),
            Evidence("measured", "deform_conv2d saved by 2.6.2, which adds its bias so"),
        ),
        parameters=ALIGNED_ADDITION_PASSES,
    ),
    Rule(
        id="CL221",
        title="attention fused for AVX-512 on a CPU without it, oneDNN, 2.6",
        when=(
            Condition(
                paddle="<3.0",
                apis=_PREDICTOR,
                runs_as=_LEGACY,
                devices=_CPU,
                architectures=_X86,
                cpu_lacks=frozenset({"avx512f"}),
                operators=(
                    OperatorPattern(
                        frozenset({"softmax"}),
                        feeds=frozenset({"matmul", "matmul_v2"}),
                        through=frozenset({"assign", "cast", "dropout", "scale"}),
                    ),
                ),
            ),
        ),
        action=Action.DELETE_PASSES,
        explanation=(
            "The pass that fuses attention executes AVX-512 instructions as soon as it finds a "
            "layout it knows, whatever the CPU has: SIGILL while the predictor is created. The "
            "operators run one by one without it. No CPU of Hygon or Zhaoxin has AVX-512."
        ),
        without="crash",
        evidence=(
            Evidence(
                "measured",
                "PP-OCRv4 recognition, 2.6.2, AMD EPYC without AVX-512 (2026-11-21); on one with "
                "AVX-512 it loads",
            ),
            Evidence(
                "measured",
                "the same on an emulated Hygon Dhyana: Paddle's own call does not come back (how "
                "qemu-user shows a SIGILL there), with the rule it runs",
            ),
        ),
        parameters=("self_attention_fuse_pass",),
    ),
)
