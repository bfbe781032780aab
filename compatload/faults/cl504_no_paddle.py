"""CL504: no Paddle installed. Decided by the plan itself, before any condition is looked at."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL504",
    title="no Paddle installed",
    action=Action.REFUSE,
    explanation=(
        "A load ends in Paddle's own loader, whatever compatload does before; only inspecting, "
        "planning, checking and most conversions do without."
    ),
    without="error",
    evidence=(Evidence("measured", "ModuleNotFoundError: No module named 'paddle'"),),
    advice="Run `pip install compatload[cpu]`, or install the Paddle build for your accelerator.",
    error="PaddleNotFoundError",
)
