"""CL107: path outside ASCII on Windows."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL107",
    title="path outside ASCII on Windows",
    action=Action.STAGE_ASCII,
    explanation=(
        "Paddle opens files with narrow-character calls. The model is loaded through a private "
        "directory that links to it."
    ),
    without="error",
    evidence=(Evidence("thread", "PaddlePaddle/Paddle/pull/76259"),),
    module="compatload.loading.staging",
)
