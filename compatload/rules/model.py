"""What a rule is: a condition over artifact and runtime, what to do, and why we believe it."""

from __future__ import annotations

import enum

from compatload.frozen import frozen
from compatload.plan import Api


class Comparison(str, enum.Enum):
    """How an attribute is compared. A missing one passes ABSENT and NOT_INTEGERS only.

    NOT_LAST_AXIS asks for an axis other than the last of the operator's first input; it holds, too,
    where the program does not say how many axes that has.
    """

    EQUALS = "equals"
    ABSENT = "absent"
    ANY_NEGATIVE = "any-negative"
    NOT_INTEGERS = "not-integers"  # absent, empty, or any item that is no whole number ≥ 1
    NOT_LAST_AXIS = "not-last-axis"


@frozen
class AttributeTest:
    """One test on one attribute: ``AttributeTest("strides", Comparison.ANY_NEGATIVE)``."""

    name: str
    test: Comparison
    value: object = None


@frozen
class OperatorPattern:
    """Operators by type (legacy or PIR name without dialect), refined by attributes and slots.

    Names are compared without PIR's trailing underscore of in-place operators. ``lacks_outputs``
    holds if one of these output slots is missing or empty; ``feeds`` if an output goes into an
    operator of one of these types, be it ``through`` a chain of operators of those types, or of
    any types but those in ``unless_through``, and the one it goes into feeds one of ``then``, where
    that is given; ``widened`` if the first operand is stretched to the shape of the second;
    ``empty`` if a result has no elements; ``single_place`` if the first operand is of one size
    after its channels; ``after`` if that operand is made by one of these types, ``unless_after``
    if it comes from none of these, be it ``through`` others; ``unlike_bias`` if the second operand
    lies along other axes than the channels but has a bias' dimensions. Types in ``on_last_axis``
    are led through where they reduce that alone. ``overwrites`` if something reads, afterwards, the
    operand in these slots, whose memory the result may be given, or what ``views`` have put into
    that memory under another name; ``alike`` if another one of the type reads what is computed in
    the same way.
    """

    names: frozenset[str]
    attributes: tuple[AttributeTest, ...] = ()
    lacks_outputs: tuple[str, ...] = ()
    feeds: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    unless_through: frozenset[str] = frozenset()
    then: frozenset[str] = frozenset()
    widened: bool = False
    empty: bool = False
    single_place: bool = False
    unlike_bias: bool = False
    overwrites: tuple[str, ...] = ()
    views: frozenset[str] = frozenset()
    alike: bool = False
    after: frozenset[str] = frozenset()
    unless_after: frozenset[str] = frozenset()
    on_last_axis: frozenset[str] = frozenset()

    def passes(self, name: str) -> bool:
        """Whether a chain may lead through an operator of that type, whatever it does."""
        if self.unless_through:
            return name not in self.unless_through | self.on_last_axis
        return name in self.through


@frozen
class Condition:
    """When a rule applies. Every given part must hold; an empty part holds always.

    ``paddle`` and ``numpy`` are PEP 440 specifiers over the installed releases. ``cpu_has`` and
    ``cpu_lacks`` name instruction sets: all of the first must be there and at least one of the
    second must be missing. ``pir_version_above`` compares with the file's ``base_code.version``;
    ``pir_newer`` holds for one that only releases newer than the installed one write.
    ``parameterless`` holds for models without a single parameter, ``untrainable`` for PIR programs
    that are marked as such. ``formats`` is that of the file, ``runs_as`` that of the program which
    Paddle gets: 2.6 is given legacy ones only. ``operators`` holds if any pattern matches any
    operator.
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
    pir_version_above: int | None = None
    pir_newer: bool = False
    parameterless: bool = False
    untrainable: bool = False
    operators: tuple[OperatorPattern, ...] = ()


class Action(str, enum.Enum):
    """What a rule makes the plan do."""

    TRANSLATE = "translate"  # a legacy program becomes a PIR one in memory, then loads natively
    PIR_MODE = "pir-mode"  # load with PIR switched on for the call
    CONVERT = "convert"  # rewrite the artifact into what this Paddle reads
    REPAIR = "repair"  # rewrite some operators of the program
    ADD_PARAMETER = "add-parameter"  # a parameter that nothing reads
    DELETE_PASSES = "delete-passes"  # the predictor runs without these passes
    WITHOUT_ONEDNN = "without-onednn"  # the operators that match run outside oneDNN
    DISABLE_ONEDNN = "disable-onednn"
    AS_LEGACY = "as-legacy"  # a predictor gets a PIR program as a legacy one
    STAGE_ASCII = "stage-ascii"  # load from a copy under an ASCII path
    STAGE_FILES = "stage-files"  # a memory buffer goes through files
    DISABLE_MEMORY_OPTIM = "disable-memory-optim"
    ZLIB_FIRST = "zlib-first"  # zlib is imported before paddle; refused where it is too late
    REFUSE = "refuse"


@frozen
class Evidence:
    """Where a rule comes from: ``measured`` names what was run, ``thread`` a public report."""

    kind: str
    reference: str


@frozen
class Rule:
    """One thing known to go wrong.

    ``when`` holds if any of its conditions does. ``without`` says what Paddle's own call does when
    the rule is not followed: ``error``, ``crash`` or ``wrong``. ``parameters`` belong to the action
    (pass names, for one). ``advice`` is the one thing to do, for rules that refuse.
    """

    id: str
    title: str
    when: tuple[Condition, ...]
    action: Action
    explanation: str
    without: str
    evidence: tuple[Evidence, ...]
    parameters: tuple[str, ...] = ()
    advice: str = ""
