"""CL503: Paddle 2.6 with NumPy 2."""

from __future__ import annotations

from compatload.faults.model import Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL503",
    title="Paddle 2.6 with NumPy 2",
    when=(Condition(paddle="<3.0", numpy=">=2"),),
    action=Action.REFUSE,
    explanation=(
        "2.6 was compiled against NumPy 1: with NumPy 2 it crashes (SIGSEGV or abort) as soon "
        "as numpy.random is imported after paddle."
    ),
    without="crash",
    evidence=(Evidence("measured", "2.6.2 with NumPy 2.4, on any CPU"),),
    advice='Run `pip install "numpy<2"` in this environment.',
    error="NumpyUnsupportedError",
    alone=(Alone(130),),
)
