"""CL3xx: Python code that fails or misbehaves with another Paddle."""

from __future__ import annotations

from compatload.faults.model import Evidence
from compatload.frozen import frozen


@frozen
class SourceRule:
    """One thing that a source file can do wrong.

    ``paddle`` is a PEP 440 specifier over the target; outside of it the rule is silent.
    ``severity`` is ``error``, ``warning`` or ``note``. ``fix`` is the one thing to do.
    """

    id: str
    title: str
    severity: str
    explanation: str
    fix: str
    evidence: tuple[Evidence, ...]
    paddle: str = ""
    fixable: bool = False


_LOADERS_FAIL = Evidence(
    "measured", "2.6.2 → 3.0.0 … 3.3.1: both Python loaders look for a .json file only"
)

SOURCE_RULES = (
    SourceRule(
        id="CL301",
        title="FLAGS_enable_pir_api set in os.environ after paddle was imported",
        severity="error",
        paddle=">=3.0",
        explanation=(
            "Paddle reads FLAGS_enable_pir_api once, while it is imported. Set in os.environ "
            "afterwards it changes nothing: the loaders go on looking for .json files."
        ),
        fix=(
            "Set it above the first import of paddle, or drop it and load with "
            "compatload.safe_load, which needs no flag."
        ),
        evidence=(
            Evidence("measured", "3.0.0 … 3.3.1"),
            Evidence("thread", "PaddlePaddle/PaddleX/pull/2563"),
        ),
    ),
    SourceRule(
        id="CL302",
        title="FLAGS_enable_pir_api set with paddle.set_flags",
        severity="error",
        paddle=">=3.0",
        explanation=(
            "Paddle decides which program format to use while it is imported. paddle.set_flags "
            "changes the flag's value, which nothing reads any more."
        ),
        fix=(
            "Set the environment variable above the first import of paddle, or drop it and load "
            "with compatload.safe_load, which needs no flag."
        ),
        evidence=(Evidence("measured", "3.0.0 … 3.3.1"),),
    ),
    SourceRule(
        id="CL303",
        title="name of a legacy program file written into the code",
        severity="warning",
        paddle=">=3.0",
        explanation=(
            "From 3.0 on paddle.jit.save and paddle.static.save_inference_model write a .json "
            "program. Code that builds or expects .pdmodel or __model__ does not find it."
        ),
        fix=(
            "Pass the prefix (the path without suffix) to compatload.safe_load, which takes "
            "whatever is there."
        ),
        evidence=(Evidence("measured", "3.0.0 … 3.3.1 write PREFIX.json and PREFIX.pdiparams"),),
    ),
    SourceRule(
        id="CL304",
        title="Config(directory, prefix)",
        severity="warning",
        explanation=(
            "Two texts given to paddle.inference.Config are a program file and a weights file up "
            "to 2.6 (a directory there ends in std::bad_alloc). From 3.0 on a directory and a "
            "prefix mean DIRECTORY/PREFIX.json, or .pdmodel only if FLAGS_enable_pir_api was 0 "
            "at import: a directory with a .pdmodel alone is not found."
        ),
        fix=(
            "Name both files, or give the prefix to compatload.safe_create_predictor, which "
            "takes whatever is there."
        ),
        evidence=(
            Evidence("measured", "2.6.2: MemoryError: std::bad_alloc"),
            Evidence("measured", "3.0.0, 3.2.2, 3.3.1: Cannot open file DIRECTORY/PREFIX.json"),
        ),
    ),
    SourceRule(
        id="CL305",
        title="paddle.jit.load",
        severity="note",
        paddle=">=3.0",
        explanation=(
            "From 3.0 on it loads PIR programs only, and runs the pickle in .pdiparams.info "
            "unaudited when it loads a legacy one."
        ),
        fix="Call compatload.safe_load instead; --fix does it.",
        evidence=(_LOADERS_FAIL, Evidence("thread", "PaddlePaddle/Paddle/issues/71996")),
        fixable=True,
    ),
    SourceRule(
        id="CL306",
        title="paddle.static.load_inference_model",
        severity="note",
        paddle=">=3.0",
        explanation="From 3.0 on it loads PIR programs only; a legacy one ends in a JSON error.",
        fix="Call compatload.safe_load_inference_model instead; --fix does it.",
        evidence=(_LOADERS_FAIL, Evidence("thread", "PaddlePaddle/Paddle/issues/75145")),
        fixable=True,
    ),
    SourceRule(
        id="CL307",
        title="paddle.inference.create_predictor",
        severity="note",
        explanation=(
            "Some combinations of model, release and CPU kill the process inside the predictor: "
            "PIR on 2.6, leaky_relu and interpolation with oneDNN on 3.3, AVX2 without FMA."
        ),
        fix="Call compatload.safe_create_predictor instead; --fix does it.",
        evidence=(
            Evidence("measured", "PIR .json on 2.6.2: SIGSEGV, every model"),
            Evidence("measured", "3.3.0 and 3.3.1: leaky_relu after a convolution, SIGSEGV"),
            Evidence("thread", "PaddlePaddle/Paddle/issues/77340"),
        ),
        fixable=True,
    ),
    SourceRule(
        id="CL308",
        title="Paddle's version compared as text",
        severity="note",
        explanation=(
            "Texts compare character by character: '3.10.0' < '3.2.0', and '10.0' < '2.6'. The "
            "check compares for the target itself: where text and version disagree it is an error."
        ),
        fix="Compare packaging.version.Version objects; --fix does it.",
        evidence=(Evidence("measured", "'3.10.0' >= '3.2.0' is False in every Python"),),
        fixable=True,
    ),
    SourceRule(
        id="CL309",
        title="paddle.fluid",
        severity="error",
        paddle=">=2.6",
        explanation="The package paddle.fluid is gone: importing it fails.",
        fix="Use the names of paddle, paddle.static and paddle.nn that took its place.",
        evidence=(
            Evidence("measured", "2.6.2: ModuleNotFoundError: No module named 'paddle.fluid'"),
        ),
    ),
    SourceRule(
        id="CL310",
        title="enable_memory_optim on a PIR program",
        severity="warning",
        paddle=">=3.0",
        explanation=(
            "Config.enable_memory_optim adds a pass of the legacy program. With a .json program "
            "create_predictor ends in 'Not find predictor_id 0 and pass_name "
            "memory_optimize_pass'; with a .pdmodel it works."
        ),
        fix="Leave it out for .json programs; compatload.safe_create_predictor does that itself.",
        evidence=(Evidence("measured", "3.0.0, 3.1.0, 3.2.2, 3.3.1: error; .pdmodel: ok"),),
    ),
    SourceRule(
        id="CL311",
        title="a use of a program that the target's programs do not have",
        severity="error",
        explanation=(
            "From 3.0 on a program is a PIR program: its blocks, operators and values have other "
            "attributes than those of 2.6, and some of the same name fail. What each release "
            "answers to each use was asked of it."
        ),
        fix="Use what both kinds of program have, or ask for the release first.",
        evidence=(
            Evidence("measured", "compatload/checking/data/uses.json, 2.6.2 and 3.0.0 … 3.3.1"),
        ),
    ),
    SourceRule(
        id="CL312",
        title="a call of a Config, predictor or layer that the target does not have",
        severity="error",
        explanation=(
            "Methods come and go between releases: 3.x has no enable_lite_engine, 2.6 has no "
            "enable_new_ir, and enable_onednn is there from 3.2 or later on only."
        ),
        fix="Ask with hasattr first, or leave the call out.",
        evidence=(
            Evidence("measured", "compatload/checking/data/uses.json, 2.6.2 and 3.0.0 … 3.3.1"),
        ),
    ),
    SourceRule(
        id="CL313",
        title="a name of an output or parameter that the target does not give",
        severity="warning",
        explanation=(
            "Outputs are called save_infer_model/scale_0.tmp_0 in a program that 2.6 saved, and "
            "fetch_name_0 in one that 3.x saved. A layer that 3.x loads adds _0 to the names of "
            "parameters."
        ),
        fix=(
            "Ask for the names: predictor.get_output_names(), the fetch targets of "
            "load_inference_model, layer.named_parameters()."
        ),
        evidence=(Evidence("measured", "2.6.2, 3.0.0 … 3.3.1, static and dynamic"),),
    ),
    SourceRule(
        id="CL314",
        title="a name of paddle.static, paddle.inference or paddle.jit that the target lacks",
        severity="error",
        explanation="The package of that release has no such name: reading it fails.",
        fix="Leave it out, or ask with hasattr first.",
        evidence=(
            Evidence("measured", "compatload/checking/data/uses.json, 2.6.2 and 3.0.0 … 3.3.1"),
        ),
    ),
)
