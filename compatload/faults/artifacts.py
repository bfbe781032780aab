"""CL0xx: what a check says of files that hold a model, or should hold one."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LAYER, LEGACY, PIR, Alone, Condition, Evidence, Rule
from compatload.operators.registry import pir_operators


def _unknown(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Operators of a PIR program that the release has not got."""
    known = pir_operators(release)
    return tuple(
        one
        for one in graph.operators
        if one.name not in known and not one.name.startswith(("builtin.", "cf."))
    )


_UNLISTED = Condition(paddle="<3.0", apis=LAYER, formats=LEGACY, parameterless=True)


def _lists_parameters(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Some operator, where parameters are listed beside the program."""
    return graph.operators[:1] if graph.artifact.info else ()


ARTIFACT_RULES = (
    Rule(
        id="CL001",
        title="damaged model",
        explanation=(
            "A file is empty, cut short, altered, or not what its name says. Paddle itself may "
            "load such a file with wrong numbers, or crash in native code."
        ),
        advice="Fetch or save the model again.",
        evidence=(Evidence("measured", "tests/attacks: 2,400 damaged models"),),
    ),
    Rule(
        id="CL002",
        title="part of a model is missing",
        explanation="The program wants parameters, and the file that should hold them is missing.",
        advice="Put the weights that were saved with the program beside it.",
        evidence=(Evidence("measured", "2.6.2 … 3.3.1: every loader fails"),),
    ),
    Rule(
        id="CL003",
        title="weights of another model",
        explanation="The weights file does not hold the tensors that the program names.",
        advice="Put the weights that were saved with the program beside it.",
        evidence=(Evidence("measured", "2.6.2 and 3.3.1 load some of these without an error"),),
    ),
    Rule(
        id="CL004",
        title="unsafe model",
        explanation=(
            "Loading would run code that the file brings along (a pickle that asks for more than "
            "text and numbers), would leave the model's folder, or an operator does more than "
            "compute: it reads or writes files, opens sockets, calls Python or loads "
            "libraries. Paddle may run such an operator while it loads the program."
        ),
        advice="Do not load it with Paddle; ask those who made it for a clean export.",
        evidence=(
            Evidence("measured", "crafted .pdiparams.info, run by paddle.jit.load"),
            Evidence("measured", "save_combine on 2.6.2 and 3.3.1: predictors write as they load"),
        ),
    ),
    Rule(
        id="CL005",
        title="recognised, but no program that Paddle loads",
        explanation="Encrypted models, ONNX, Paddle-Lite and the like stand under a model's name.",
        advice="Give the program that paddle.jit.save wrote.",
        evidence=(Evidence("measured", "2.6.2 and 3.3.1: no loader takes them"),),
    ),
    Rule(
        id="CL006",
        title="operators that this Paddle does not have",
        explanation=(
            "The release's registry has no such operator: Paddle's own loaders end in an error. "
            "compatload replaces the operators that it knows a replacement for."
        ),
        advice="Load it with compatload, or export the model without these operators.",
        evidence=(Evidence("measured", "the registries of nine wheels (compatload.operators)"),),
        alone=(Alone(310, "error", Condition(formats=PIR), _unknown),),
    ),
    Rule(
        id="CL007",
        title="compatload cannot load it there",
        explanation="No step of compatload's plan is possible for this model on this target.",
        advice="Save the model again with compatload.safe_save, in the Paddle that is to load it.",
        evidence=(Evidence("measured", "the conversion itself, carried out without Paddle"),),
    ),
    Rule(
        id="CL008",
        title="run: not as it should be",
        explanation=(
            "`compatload check --run` loaded and ran the model in processes of their own, and a "
            "loader failed, died, or gave other numbers than compatload or the stored outputs."
        ),
        advice="Read what the run says; `compatload plan` tells how the model is loaded.",
        evidence=(Evidence("measured", "by the very run that reports it"),),
    ),
    Rule(
        id="CL009",
        title="an operator that nobody knows",
        explanation=(
            "No known release of Paddle has the operator, or the one at hand lacks it: it comes "
            "from a custom library or a newer release, or the file is damaged. Paddle 3.x ends in "
            "SIGSEGV where a PIR file names an operator that is not registered."
        ),
        advice="Load the library that brings it, and name it: trusted_operators=('my_relu',).",
        evidence=(Evidence("measured", "1.relu66 in a PIR program of 3.3.1 on 3.3.1: SIGSEGV"),),
    ),
    Rule(
        id="CL010",
        title="parameters of which the program uses none",
        explanation=(
            "`paddle.jit.save` of 2.6 writes no weights where the program reads none, and lists "
            "all parameters of the layer beside it; `paddle.jit.load` of 2.6 then says that the "
            "model is incomplete. compatload hands it an empty list."
        ),
        advice="Load it with compatload, or use a parameter in forward.",
        evidence=(Evidence("measured", "a layer that uses none of its weights, 2.6.0 to 2.6.2"),),
        alone=(Alone(214, "error", _UNLISTED, _lists_parameters),),
    ),
)
