"""CL5xx: this machine or installation cannot run this Paddle, or not so."""

from __future__ import annotations

from compatload.plan import Api
from compatload.releases import NEWEST_LEGACY, OLDEST
from compatload.rules.model import Action, Condition, Evidence, Rule

_X86 = frozenset({"x86_64"})

# Decided by the plan itself, before any condition is looked at.
NO_PADDLE = Rule(
    id="CL504",
    title="no Paddle installed",
    when=(),
    action=Action.REFUSE,
    explanation=(
        "A load ends in Paddle's own loader, whatever compatload does before; only inspecting, "
        "planning, checking and most conversions do without."
    ),
    without="error",
    evidence=(Evidence("measured", "ModuleNotFoundError: No module named 'paddle'"),),
    advice="Run `pip install compatload[cpu]`, or install the Paddle build for your accelerator.",
)
NO_DEVICE = Rule(
    id="CL505",
    title="device that is not there",
    when=(),
    action=Action.REFUSE,
    explanation=(
        "This machine does not have the device that was asked for, or the installed build was not "
        "made for it. Paddle says so for layers and programs; its predictor takes the CPU, and "
        "nobody hears of it."
    ),
    without="error",
    evidence=(
        Evidence("measured", "2.6.2 and 3.3.1 for the CPU, gpu:0: `not compiled with CUDA`"),
        Evidence("measured", "2.6.2 and 3.3.1 for the CPU, enable_use_gpu: runs on the CPU"),
    ),
    advice="Pass device='auto' to use an accelerator only where there is one, or device='cpu'.",
)
TOO_OLD = Rule(
    id="CL507",
    title="Paddle older than every supported release",
    when=(),
    action=Action.REFUSE,
    explanation=(
        f"{OLDEST} is the oldest release that was measured. Before it names of Paddle's own "
        "modules and its operators differ: three of twelve newer models failed on 2.5.2. Programs "
        "that older releases saved are read as ever."
    ),
    without="error",
    evidence=(Evidence("measured", "2.5.2: 9 of 12 models load and agree"),),
    advice=f"Upgrade: `pip install paddlepaddle=={NEWEST_LEGACY}`, or later.",
)

HARDWARE_RULES = (
    Rule(
        id="CL501",
        title="Paddle 3 on a CPU without AVX2",
        when=(Condition(paddle=">=3.0", architectures=_X86, cpu_lacks=frozenset({"avx2"})),),
        action=Action.REFUSE,
        explanation=(
            "The wheels of 3.x run AVX2 instructions in a static initialiser of libphi_core.so: "
            "`import paddle` ends in SIGILL before Paddle can say anything."
        ),
        without="crash",
        evidence=(
            Evidence("measured", "emulated Sandy Bridge, Ivy Bridge, Nehalem, Westmere; 3.0–3.3.1"),
            Evidence("thread", "PaddlePaddle/PaddleOCR/issues/15911"),
            Evidence("thread", "PaddlePaddle/PaddleX/issues/4559"),
        ),
        advice="Install paddlepaddle==2.6.2 (needs AVX only), or expose AVX2 to this machine.",
    ),
    Rule(
        id="CL502",
        title="Paddle 2.6 on a CPU without AVX",
        when=(Condition(paddle="<3.0", architectures=_X86, cpu_lacks=frozenset({"avx"})),),
        action=Action.REFUSE,
        explanation="The wheels of 2.6 need AVX: `import paddle` ends in SIGILL without it.",
        without="crash",
        evidence=(Evidence("measured", "emulated Nehalem and Westmere, 2.6.2"),),
        advice="Move the model to a machine with AVX, or expose AVX to this virtual machine.",
    ),
    Rule(
        id="CL503",
        title="Paddle 2.6 with NumPy 2",
        when=(Condition(paddle="<3.0", numpy=">=2"),),
        action=Action.ZLIB_FIRST,
        explanation=(
            "libpaddle of 2.6 brings a zlib of its own. Where it is loaded before the system's, "
            "what uses zlib afterwards crashes in it, and importing numpy.random of NumPy 2 does "
            "(SIGSEGV in inflateReset2). Where zlib or NumPy is imported before paddle, all works."
        ),
        without="crash",
        evidence=(
            Evidence("measured", "2.6.2 with NumPy 2.4.6: import paddle, numpy.random"),
            Evidence("measured", "2.6.1 and 2.6.2 with NumPy 1.26: import paddle, zlib.compress()"),
        ),
        advice='Import zlib above the first import of paddle, or run `pip install "numpy<2"`.',
    ),
    NO_PADDLE,
    NO_DEVICE,
    TOO_OLD,
    Rule(
        id="CL506",
        title="Paddle 2.6 with PIR switched on",
        when=(Condition(paddle="<3.0", apis=frozenset({Api.LAYER, Api.PROGRAM}), pir_mode=True),),
        action=Action.REFUSE,
        explanation=(
            "In 2.6 the flag is an experiment: its own loaders fail with it on every model, and it "
            "cannot be taken back once paddle is imported."
        ),
        without="error",
        evidence=(
            Evidence("measured", "2.6.2, FLAGS_enable_pir_api=1: `must be OpResult, but got …`"),
        ),
        advice="Unset FLAGS_enable_pir_api in the environment of this process.",
    ),
)
