"""CL1xx: a format that the installed Paddle does not read by itself."""

from __future__ import annotations

from compatload.plan import Api
from compatload.releases import NEWEST_PIR_VERSION, known_pir_versions
from compatload.rules.model import Action, Condition, Evidence, OperatorPattern, Rule

_LAYER_AND_PROGRAM = frozenset({Api.LAYER, Api.PROGRAM})
_LEGACY = frozenset({"legacy"})
_PIR = frozenset({"pir"})

# From the registries of the wheels (compatload.operators); a test keeps both in step.
DIFFERENT_IN_3_1 = frozenset(
    {
        "fp8_quant_blockwise",
        "index_elementwise_get",
        "index_elementwise_put",
        "index_elementwise_put_with_tensor",
        "kthvalue",
        "moe_gate_dispatch_and_quant",
        "rint",
    }
)
DIFFERENT_IN_3_3 = frozenset(
    {
        "add_group_norm_silu",
        "depthwise_conv2d_bias",
        "depthwise_conv3d_bias",
        "fp8_quant_blockwise",
        "group_norm",
        "group_norm_silu_xpu",
        "linear_v2",
        "moe_permute",
        "moe_unpermute",
        "nansum",
        "rms_norm",
        "std",
        "var",
    }
)

UNKNOWN_PIR = Rule(
    id="CL105",
    title="PIR program of a format version nobody knows",
    when=(Condition(formats=_PIR, pir_version_above=NEWEST_PIR_VERSION),),
    action=Action.REFUSE,
    explanation=(
        "Paddle has no upper bound on base_code.version and would read the file as if it "
        f"were its own. Known are {known_pir_versions()}."
    ),
    without="wrong",
    evidence=(Evidence("measured", "an edited 99 loads silently on 3.3.1"),),
    advice="Update compatload, or save the model again with one of these releases.",
)

FORMAT_RULES = (
    Rule(
        id="CL101",
        title="legacy program, and PIR is on",
        when=(Condition(paddle=">=3.0", apis=_LAYER_AND_PROGRAM, formats=_LEGACY, pir_mode=True),),
        action=Action.TRANSLATE,
        explanation=(
            "With PIR on, which is the default since 3.0, paddle.jit.load and "
            "paddle.static.load_inference_model look for a .json file only, and the flag is read "
            "once, when paddle is imported. The program is translated to PIR in memory, by "
            "Paddle's own translator, and loaded from there: no flag changes."
        ),
        without="error",
        evidence=(
            Evidence("measured", "2.6.2 → 3.0.0, 3.1.1, 3.2.2, 3.3.1, every model"),
            Evidence("thread", "PaddlePaddle/Paddle/issues/71996"),
            Evidence("thread", "PaddlePaddle/Paddle/issues/75145"),
            Evidence("thread", "PaddlePaddle/Paddle/issues/75300"),
        ),
    ),
    Rule(
        id="CL102",
        title="PIR program, and PIR is off",
        when=(Condition(paddle=">=3.0", apis=_LAYER_AND_PROGRAM, formats=_PIR, pir_mode=False),),
        action=Action.PIR_MODE,
        explanation=(
            "With FLAGS_enable_pir_api=0, paddle.jit.load and paddle.static.load_inference_model "
            "look for a .pdmodel file only. PIR is switched on for the duration of the call."
        ),
        without="error",
        evidence=(Evidence("measured", "3.0.0 and 3.3.1 with FLAGS_enable_pir_api=0"),),
    ),
    Rule(
        id="CL103",
        title="PIR program on a Paddle that has no PIR format",
        when=(Condition(paddle="<3.0", formats=_PIR),),
        action=Action.CONVERT,
        explanation=(
            "Paddle 2.x does not know the PIR format: its two Python loaders fail and its "
            "predictor kills the process (SIGSEGV). The program is converted to a legacy one."
        ),
        without="crash",
        evidence=(Evidence("measured", "3.0.0 … 3.3.1 → 2.6.2 predictor, every model"),),
        parameters=("legacy",),
        advice="Convert it once with `compatload convert MODEL TARGET --to legacy`.",
    ),
    Rule(
        id="CL104",
        title="PIR program of a newer format version",
        when=(Condition(paddle=">=3.0", formats=_PIR, pir_newer=True),),
        action=Action.CONVERT,
        explanation=(
            "Attribute types changed between PIR versions, and Paddle translates upwards only. "
            "The program is rewritten for the release that is installed."
        ),
        without="error",
        evidence=(
            Evidence("measured", "3.3.1 → 3.0.0: `Type of attribute: strides is not right`"),
            Evidence("thread", "PaddlePaddle/PaddleOCR/issues/16327"),
            Evidence("thread", "PaddlePaddle/PaddleX/issues/4854"),
        ),
        parameters=("pir",),
        advice="Convert it once with `compatload convert MODEL TARGET --to paddle==RELEASE`.",
    ),
    Rule(
        id="CL108",
        title="operator that two releases of one PIR version describe differently",
        when=(
            Condition(
                paddle=">=3.1,<3.2",
                formats=_PIR,
                operators=(OperatorPattern(DIFFERENT_IN_3_1),),
            ),
            Condition(
                paddle=">=3.3,<3.4",
                formats=_PIR,
                operators=(OperatorPattern(DIFFERENT_IN_3_3),),
            ),
        ),
        action=Action.CONVERT,
        explanation=(
            "3.1.0 and 3.1.1, and 3.3.0 and 3.3.1, write the same version number and expect "
            "different attributes. What the file holds decides: attributes that do not fit are "
            "rewritten, and a file that fits is left as it is."
        ),
        without="crash",
        evidence=(
            Evidence("measured", "3.3.0 → 3.3.1, group_norm: layer fails, program SIGSEGV"),
            Evidence("measured", "3.3.1 → 3.3.0, group_norm: every loader fails"),
        ),
        parameters=("pir",),
        advice="Convert it once with `compatload convert MODEL TARGET --to paddle==RELEASE`.",
    ),
    UNKNOWN_PIR,
    Rule(
        id="CL109",
        title="PIR program that is marked as not trainable",
        when=(
            Condition(
                paddle=">=3.0",
                apis=frozenset({Api.LAYER, Api.PREDICTOR}),
                formats=_PIR,
                untrainable=True,
            ),
        ),
        action=Action.REFUSE,
        explanation=(
            "No save function of Paddle writes that mark. The predictor looks for what only "
            "trainable programs hold and kills the process (SIGSEGV)."
        ),
        without="crash",
        evidence=(Evidence("measured", "edited files with parameters, 3.3.1 predictor"),),
        advice="Load it with safe_load_inference_model, or save the model again.",
    ),
    Rule(
        id="CL106",
        title="PIR program from a memory buffer",
        when=(),
        action=Action.STAGE_FILES,
        explanation=(
            "The predictor takes a JSON buffer for a path. The buffers go through files in a "
            "private directory."
        ),
        without="error",
        evidence=(Evidence("measured", "Config.set_model_buffer, 3.0.0 and 3.3.1"),),
    ),
    Rule(
        id="CL107",
        title="path outside ASCII on Windows",
        when=(),
        action=Action.STAGE_ASCII,
        explanation=(
            "Paddle opens files with narrow-character calls. The model is loaded through a private "
            "directory that links to it."
        ),
        without="error",
        evidence=(Evidence("thread", "PaddlePaddle/Paddle/pull/76259"),),
    ),
)
