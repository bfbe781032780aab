"""What a fault is: where it holds, how it is seen, what to do, and why we believe it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from compatload.artifact.model import Operator, Parameter
from compatload.faults.graph import Graph
from compatload.frozen import frozen
from compatload.plan import Api

LAYER = frozenset({Api.LAYER})
PROGRAM = frozenset({Api.PROGRAM})
PYTHON = LAYER | PROGRAM
PREDICTOR = frozenset({Api.PREDICTOR})
LEGACY = frozenset({"legacy"})
PIR = frozenset({"pir"})
X86 = frozenset({"x86_64"})

# Whether an operator of a program is concerned.
Where = Callable[[Operator, Graph], bool]
# Given a program and the release that is to run it, the operators that make Paddle fail.
Sight = Callable[[Graph, str], "tuple[Operator, ...]"]


@frozen
class OperatorPattern:
    """Operators by type (legacy or PIR name without dialect) and by what attributes equal.

    Names are compared without PIR's trailing underscore of in-place operators. ``feeds`` holds if
    a result goes into an operator of one of these types, be it ``through`` a chain of others;
    ``where`` is what else the fault asks of an operator.
    """

    names: frozenset[str]
    attributes: tuple[tuple[str, object], ...] = ()
    feeds: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    where: Where | None = None


@frozen
class Condition:
    """When a rule applies. Every given part must hold; an empty part holds always.

    ``paddle`` and ``numpy`` are PEP 440 specifiers over the installed releases. ``cpu_has`` and
    ``cpu_lacks`` name instruction sets: all of the first must be there and at least one of the
    second must be missing. ``pir_unknown`` holds for a ``base_code.version`` that nobody knows,
    ``pir_newer`` holds for one that only releases newer than the installed one write.
    ``parameterless`` holds for models without a single parameter, ``untrainable`` for PIR programs
    that are marked as such, ``stores`` for models that store such tensors.
    ``formats`` is that of the file, ``runs_as`` that of the program which Paddle gets: 2.6 is given
    legacy ones only. ``new_ir``, ``onednn``, ``new_executor`` and ``bfloat16`` hold where the
    predictor's Config asks for it, ``no_onednn`` where it keeps oneDNN out. ``operators`` holds if
    any pattern matches any operator.
    """

    paddle: str = ""
    numpy: str = ""
    apis: frozenset[Api] = frozenset()
    formats: frozenset[str] = frozenset()
    runs_as: frozenset[str] = frozenset()
    flavours: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    architectures: frozenset[str] = frozenset()
    cpu_has: frozenset[str] = frozenset()
    cpu_lacks: frozenset[str] = frozenset()
    pir_mode: bool | None = None
    new_ir: bool = False
    onednn: bool = False
    no_onednn: bool = False
    new_executor: bool = False
    bfloat16: bool = False
    pir_unknown: bool = False
    pir_newer: bool = False
    parameterless: bool = False
    untrainable: bool = False
    stores: Callable[[Sequence[Parameter]], bool] | None = None
    operators: tuple[OperatorPattern, ...] = ()


PIR_PREDICTOR = Condition(paddle=">=3.0", apis=PREDICTOR, runs_as=PIR)
LEGACY_PREDICTOR = Condition(apis=PREDICTOR, runs_as=LEGACY)


class Action(str, enum.Enum):
    """What a rule makes the plan do."""

    TRANSLATE = "translate"  # a legacy program becomes a PIR one in memory, then loads natively
    PIR_MODE = "pir-mode"  # load with PIR switched on for the call
    CONVERT = "convert"  # rewrite the artifact into what this Paddle reads
    REPAIR = "repair"  # rewrite some operators of the program
    REWRITE = "rewrite"  # the operators that match are written otherwise
    ADD_PARAMETER = "add-parameter"  # a parameter that nothing reads
    DELETE_PASSES = "delete-passes"  # the predictor runs without these passes
    WITHOUT_ONEDNN = "without-onednn"  # the operators that match run outside oneDNN
    DISABLE_ONEDNN = "disable-onednn"
    WITHOUT_NEW_IR = "without-new-ir"  # a legacy program runs as one
    WITHOUT_NEW_EXECUTOR = "without-new-executor"
    AS_LEGACY = "as-legacy"  # a predictor gets a PIR program as a legacy one
    STAGE_ASCII = "stage-ascii"  # load from a copy under an ASCII path
    STAGE_FILES = "stage-files"  # a memory buffer goes through files
    DISABLE_MEMORY_OPTIM = "disable-memory-optim"
    ZLIB_FIRST = "zlib-first"  # zlib is imported before paddle; refused where it is too late
    REFUSE = "refuse"
    TELL = "tell"  # no load is planned by it; a check tells it


class Cause(str, enum.Enum):
    """What of a predictor has the fault that operators are written otherwise for."""

    ONEDNN = "onednn"
    PASSES = "passes"  # those that run without oneDNN, too
    KERNELS = "kernels"  # and what else no Config switches off


# What these are about is a loader, a pass or an option, which a few networks can show. A format is
# a promise about every operator, a repair does no harm, and what is refused would not come to tell.
_SHOWN = frozenset(
    {
        *(Action.TRANSLATE, Action.ADD_PARAMETER, Action.DELETE_PASSES),
        *(Action.WITHOUT_ONEDNN, Action.DISABLE_ONEDNN, Action.DISABLE_MEMORY_OPTIM),
        *(Action.WITHOUT_NEW_IR, Action.AS_LEGACY, Action.REWRITE),
    }
)


@frozen
class Evidence:
    """Where a rule comes from: ``measured`` names what was run, ``thread`` a public report."""

    kind: str
    reference: str


@frozen
class Alone:
    """What Paddle's own loaders do with a file, told from the file: no wider than the fault is.

    ``order`` says when Paddle would meet it, and the first that applies decides: 1xx the import,
    2xx the format, 3xx the operators and their attributes, 4xx the passes of the predictor, 5xx
    the numbers of a run, 6xx what the file left out, 7xx memory that is shared. ``outcome`` and
    ``when`` are the rule's own unless given; so is what the program must hold, unless ``sees``
    finds it, or the function that it names (``"package.module:function"``). ``by_data``: so it is
    for some inputs, such as those of which the program makes NaN, or a batch of one; others are
    right.
    """

    order: int
    outcome: str = ""
    when: Condition | None = None
    sees: Sight | str | None = None
    by_data: bool = False


@frozen
class Rule:
    """One thing known to go wrong.

    ``when`` holds if any of its conditions does. ``without`` says what Paddle's own call does when
    the rule is not followed: ``error``, ``crash`` or ``wrong``; ``alone`` where it surely does.
    ``parameters`` belong to the action (pass names, for one). ``advice`` is the one thing to do,
    and ``error`` the class of the exception, for rules that refuse. ``module`` names where a rule
    is carried out whose operators only the rewriting finds, and how others are written otherwise. A
    repair without one ``sees`` whether it is needed, and names what each operator ``becomes``, with
    its arguments and no attributes. What is written otherwise is so for a ``cause``, and
    not where a Config leaves that out.
    Rules are applied in the order of their ids, or right ``after`` another one.
    """

    id: str
    title: str
    explanation: str
    evidence: tuple[Evidence, ...]
    action: Action = Action.TELL
    without: str = ""
    when: tuple[Condition, ...] = ()
    parameters: tuple[str, ...] = ()
    advice: str = ""
    error: str = "IncompatibleError"
    alone: tuple[Alone, ...] = ()
    after: str = ""
    module: str = ""
    sees: Sight | None = None
    becomes: Mapping[str, str] = field(default_factory=dict)
    cause: Cause = Cause.ONEDNN

    @property
    def measurable(self) -> bool:
        """Whether networks that show it can tell that it is there, or gone."""
        return self.action in _SHOWN
