"""CL501: Paddle 3 on a CPU without AVX2."""

from __future__ import annotations

from compatload.faults.model import X86, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL501",
    title="Paddle 3 on a CPU without AVX2",
    when=(Condition(paddle=">=3.0", architectures=X86, cpu_lacks=frozenset({"avx2"})),),
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
    error="CpuUnsupportedError",
    alone=(Alone(110),),
)
