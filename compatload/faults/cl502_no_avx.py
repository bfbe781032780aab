"""CL502: Paddle 2.6 on a CPU without AVX."""

from __future__ import annotations

from compatload.faults.model import X86, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL502",
    title="Paddle 2.6 on a CPU without AVX",
    when=(Condition(paddle="<3.0", architectures=X86, cpu_lacks=frozenset({"avx"})),),
    action=Action.REFUSE,
    explanation="The wheels of 2.6 need AVX: `import paddle` ends in SIGILL without it.",
    without="crash",
    evidence=(Evidence("measured", "emulated Nehalem and Westmere, 2.6.2"),),
    advice="Move the model to a machine with AVX, or expose AVX to this virtual machine.",
    error="CpuUnsupportedError",
    alone=(Alone(120),),
)
