"""CL206: convolution fusions on ROCm."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import PIR_PREDICTOR, Action, Evidence, Rule

RULE = Rule(
    id="CL206",
    title="convolution fusions on ROCm",
    when=(replace(PIR_PREDICTOR, flavours=frozenset({"rocm"})),),
    action=Action.DELETE_PASSES,
    explanation="The fused operator that these passes make exists for CUDA only.",
    without="error",
    evidence=(Evidence("thread", "PaddlePaddle/Paddle/issues/68931"),),
    parameters=("conv2d_add_act_fuse_pass", "conv2d_add_fuse_pass"),
)
