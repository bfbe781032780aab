"""CL167: the fused RMS norm on a CPU without AVX-512."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule

# 3.3.0 took its name for another operator, of two operands.
_FUSED = frozenset({"fused_rms_norm_quant", "rms_norm"})
_MOST_OF_THE_OTHER = 2


def _is_fused(operator: Operator, graph: Graph) -> bool:
    return operator.name.endswith("quant") or len(operator.inputs) > _MOST_OF_THE_OTHER


RULE = Rule(
    id="CL167",
    title="the fused RMS norm on a CPU without AVX-512",
    when=(
        Condition(
            paddle=">=3.0",
            devices=frozenset({"cpu"}),
            cpu_lacks=frozenset({"avx512f"}),
            operators=(OperatorPattern(_FUSED, where=_is_fused),),
        ),
    ),
    action=Action.REFUSE,
    error="CpuUnsupportedError",
    explanation=(
        "Paddle's kernel of `paddle.incubate.nn.functional.fused_rms_norm` is compiled for AVX-512 "
        "and asks no CPU whether it has it: the first call ends the process (SIGILL), eagerly as "
        "well."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "3.0.0, 3.2.2 and 3.3.1 on an AMD EPYC without AVX-512: SIGILL"),
        Evidence("measured", "the instruction is vmovaps of a zmm register, in RmsNormAvxKernel"),
    ),
    advice=(
        "Write the norm as `x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight`, "
        "load it in paddlepaddle 2.6 (the conversion does so), or use a CPU with AVX-512."
    ),
    alone=(Alone(369, "crash"),),
)
