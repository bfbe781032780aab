"""CL177: an input with a name that Paddle's layer gives to an output."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.inputs import called
from compatload.faults.model import LAYER, PIR, Action, Alone, Cause, Condition, Evidence, Rule

_IN_LAYERS = Condition(paddle=">=3.0", apis=LAYER, operators=(called(r"output_\d+"),))
RULE = Rule(
    id="CL177",
    title="an input with a name that Paddle's layer gives to an output",
    when=(_IN_LAYERS,),
    action=Action.REWRITE,
    explanation=(
        "The layer of 3.x keeps its inputs and outputs in one scope, and calls the outputs "
        "output_0, output_1 …. An input of that name, as chained models have them, is written "
        "over, in silence. It gets another name in the layer; programs and predictors keep it."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "a - b * 2, a * b with b called output_0: 3.0.0, 3.1.1 and 3.3.1"),
        Evidence("measured", "the same by executors and predictors, and on 2.6.2: right"),
    ),
    module="compatload.programs.rewritings.input_names",
    cause=Cause.KERNELS,
    # Paddle alone does not load a legacy program there.
    alone=(Alone(505, when=replace(_IN_LAYERS, formats=PIR)),),
)
