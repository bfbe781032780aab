"""CL204: memory optimisation of a PIR program."""

from __future__ import annotations

from compatload.faults.model import PIR_PREDICTOR, Action, Evidence, Rule

RULE = Rule(
    id="CL204",
    title="memory optimisation of a PIR program",
    when=(PIR_PREDICTOR,),
    action=Action.DISABLE_MEMORY_OPTIM,
    explanation=(
        "memory_optimize_pass belongs to the legacy program; asking for it with a PIR program "
        "ends in an assertion."
    ),
    without="error",
    evidence=(Evidence("measured", "Config.enable_memory_optim, 3.0.0 and 3.3.1"),),
)
