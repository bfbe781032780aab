"""CL503: Paddle 2.6 with NumPy 2."""

from __future__ import annotations

from compatload.faults.model import Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL503",
    title="Paddle 2.6 with NumPy 2",
    when=(Condition(paddle="<3.0", numpy=">=2"),),
    action=Action.ZLIB_FIRST,
    explanation=(
        "libpaddle of 2.6 brings a zlib of its own. Where it is loaded before the system's, what "
        "uses zlib afterwards crashes in it, and importing numpy.random of NumPy 2 does (SIGSEGV "
        "in inflateReset2). Where zlib or NumPy is imported before paddle, all works."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "2.6.2 with NumPy 2.4.6: import paddle, then numpy.random"),
        Evidence("measured", "2.6.1, 2.6.2 with NumPy 1.26: import paddle, then zlib.compress()"),
    ),
    advice='Import zlib above the first import of paddle, or run `pip install "numpy<2"`.',
    error="NumpyUnsupportedError",
    alone=(Alone(130),),
)
