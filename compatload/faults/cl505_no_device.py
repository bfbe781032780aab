"""CL505: device that is not there. Decided by the plan itself."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL505",
    title="device that is not there",
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
    error="DeviceUnavailableError",
)
