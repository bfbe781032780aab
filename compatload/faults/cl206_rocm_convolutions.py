"""CL206: convolution fusions on ROCm."""

from __future__ import annotations

from compatload.faults.model import PIR, PREDICTOR, Action, Condition, Evidence, Rule

RULE = Rule(
    id="CL206",
    title="convolution fusions on ROCm",
    when=(Condition(paddle=">=3.0", apis=PREDICTOR, runs_as=PIR, flavours=frozenset({"rocm"})),),
    action=Action.DELETE_PASSES,
    explanation="The fused operator that these passes make exists for CUDA only.",
    without="error",
    evidence=(Evidence("thread", "PaddlePaddle/Paddle/issues/68931"),),
    parameters=("conv2d_add_act_fuse_pass", "conv2d_add_fuse_pass"),
)
