"""What a saved model is, as data. Nothing here reads a file or imports paddle."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, field
from functools import cached_property
from typing import TYPE_CHECKING

from compatload.frozen import frozen

if TYPE_CHECKING:
    from compatload.artifact.files import FileIdentity


# Of a tensor (phi::DDim::kMaxRank); a shape of more aborts the process.
MOST_AXES = 9
# What stands for a path where a model was given as bytes.
MEMORY = "<memory>"


class Format(str, enum.Enum):
    """What kind of program a file is."""

    LEGACY = "legacy"  # ProgramDesc protobuf: .pdmodel, __model__, model
    LEGACY_TEXT = "legacy-text"  # .pbtxt
    PIR = "pir"  # .json

    @property
    def family(self) -> Format:
        """The format by whose rules a program of this one is loaded."""
        return Format.LEGACY if self is Format.LEGACY_TEXT else self


# The dtype of a PIR value that is a vector of tensors.
SEVERAL = "several"


@frozen
class TensorSpec:
    """Name, dtype (``"float32"``) and shape (−1: unknown) of an input, output or inner value."""

    name: str
    dtype: str | None
    shape: tuple[int, ...] | None


@frozen
class Parameter:
    """One stored tensor: what the program expects and where its bytes stand.

    ``offset`` and ``nbytes`` give the raw data inside ``file``; both are None when the artifact
    has no weights file (a program without parameters).
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: str | None = None
    offset: int | None = None
    nbytes: int | None = None


@frozen
class Operator:
    """One operator of a program.

    ``name`` is the bare type in a legacy program (``conv2d``) and carries its dialect in PIR
    (``pd_op.conv2d``, ``builtin.parameter``, ``cf.yield``). ``inputs`` and ``outputs`` map a slot
    to value names; PIR operands have no slot names, so their slots are ``"0"``, ``"1"`` … and
    their values ``"%12"`` (``"%0"`` is an absent optional operand). ``attributes`` holds plain
    Python values, sequences as tuples. ``sub_blocks`` are the indices of blocks that it owns.
    ``kinds`` tells how the file writes each attribute (``INTS``; ``0.a_array<0.a_i32>``).
    """

    name: str
    inputs: Mapping[str, tuple[str, ...]]
    outputs: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, object]
    block: int = 0
    index: int = 0
    sub_blocks: tuple[int, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict, compare=False)

    @cached_property
    def layout(self) -> object:
        """Equal in two operators of a program only if what differs in them is names of values and
        of places in Python: what is wrong with one is wrong with the other. None: never equal."""
        return None

    @cached_property
    def arity(self) -> tuple[int, int]:
        """How many slots of inputs and of outputs it has; in PIR, operands and results."""
        return len(self.inputs), len(self.outputs)

    @property
    def position(self) -> str:
        """Where it stands, for messages: ``"conv2d (block 0, operator 12)"``."""
        return f"{self.name} (block {self.block}, operator {self.index})"


@frozen
class Block:
    """A block of a legacy program.

    ``parent`` is the index of the block around it (−1: none), ``kinds`` the number of each
    variable's kind, ``persistable`` the names of those that keep their values between runs.
    """

    parent: int
    kinds: Mapping[str, int]
    persistable: frozenset[str]


# Without and with the dialect of PIR.
LOOPS = frozenset({"pd_op.while", "while"})


@frozen
class Program:
    """A decoded program: every operator of every block, in order, control flow included.

    ``blocks`` is empty for PIR, whose operators say all that there is to say of them, and so is
    ``lod_levels``: for inputs that are declared as sequences, on how many levels.
    """

    operators: tuple[Operator, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    variables: Mapping[str, TensorSpec] = field(default_factory=dict)
    blocks: Mapping[int, Block] = field(default_factory=dict)
    lod_levels: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def operator_counts(self) -> Mapping[str, int]:
        return dict(sorted(Counter(operator.name for operator in self.operators).items()))

    @cached_property
    def representatives(self) -> tuple[Operator, ...]:
        """The first operator of each layout: what each operator is asked for by itself need only be
        asked of these, some hundred in a program of thousands."""
        found = []
        known = set()
        for operator in self.operators:
            layout = operator.layout, self.carries(operator)
            if layout[0] is None or layout not in known:
                found.append(operator)
                known.add(layout)
        return tuple(found)

    @cached_property
    def _carried(self) -> frozenset[str]:
        """What loops carry: their operands in PIR, what they write in a legacy program."""
        return frozenset(
            value
            for one in self.operators
            if one.name in LOOPS
            for values in (one.inputs if "." in one.name else one.outputs).values()
            for value in values
        )

    def carries(self, operator: Operator) -> bool:
        """Whether a loop goes on with a result of it, whose sizes Paddle declares as the loop
        changes them."""
        return bool(self._carried) and any(
            not self._carried.isdisjoint(values) for values in operator.outputs.values()
        )

    @cached_property
    def has_control_flow(self) -> bool:
        return any(operator.sub_blocks for operator in self.operators)


# A note on programs that can be trained further, or were cut out of another.
WITHOUT_OUTPUTS = "the program names no outputs; it was not saved for inference"


@frozen
class DecodedProgram:
    """What the bytes of one program say, before any weights are looked at.

    ``parameters`` stand in the order in which combined weights are written.
    """

    format: Format
    program: Program
    parameters: tuple[TensorSpec, ...]
    saved_by: str | None
    pir_version: int | None = None
    trainable: bool | None = None
    operator_versions: Mapping[str, int] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@frozen
class ArtifactFiles:
    """The files of one model. ``parameters`` has one entry for combined weights, many for 1.x."""

    program: str
    parameters: tuple[str, ...] = ()
    parameters_combined: bool = True
    info: str | None = None  # .pdiparams.info
    meta: str | None = None  # .meta
    record: str | None = None  # what safe_save wrote beside the model
    others: tuple[str, ...] = ()  # sibling programs that were not chosen

    @property
    def prefix(self) -> str:
        """Path without the program's suffix, as Paddle's loaders want it."""
        for suffix in (".pdmodel", ".json"):
            if self.program.endswith(suffix):
                return self.program[: -len(suffix)]
        return self.program


@frozen
class Artifact:
    """One saved model, inspected without Paddle.

    ``saved_by`` is a PEP 440 specifier for the release that wrote it (``"==2.6.2"``,
    ``">=3.0,<3.1"``) or None; ``pir_version`` is ``base_code.version``. ``methods`` maps each
    extra method saved by ``paddle.jit.save`` to its own artifact files. ``evidence`` says in words
    what each conclusion rests on. ``notes`` are findings that do not stop a load.

    ``program_bytes`` are the very bytes that were inspected, ``method_artifacts`` the inspected
    extra methods, ``info`` the audited content of ``.pdiparams.info``, and ``identities`` the state
    of every file that was read, so that a loader can load what was inspected and nothing else.
    """

    path: str
    format: Format
    files: ArtifactFiles
    program: Program
    parameters: tuple[Parameter, ...]
    saved_by: str | None
    pir_version: int | None = None
    trainable: bool | None = None
    operator_versions: Mapping[str, int] = field(default_factory=dict)
    methods: Mapping[str, ArtifactFiles] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    program_bytes: bytes = field(default=b"", repr=False, compare=False)
    method_artifacts: Mapping[str, Artifact] = field(default_factory=dict, repr=False)
    info: Mapping[str, object] | None = field(default=None, repr=False)
    identities: tuple[FileIdentity, ...] = field(default=(), repr=False, compare=False)

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return self.program.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return self.program.outputs

    @property
    def trainable_parameters(self) -> Mapping[str, bool] | None:
        """Which parameters take gradients, as the audited ``.pdiparams.info`` says, if it does. It
        says of buffers, and of tensors that are no parameters, only whether gradients stop."""
        if self.info is None:
            return None
        told = {name: one for name, one in self.info.items() if isinstance(one, Mapping)}
        return {
            name: bool(one.get("trainable", not one.get("stop_gradient")))
            for name, one in told.items()
            if not one.keys().isdisjoint({"trainable", "stop_gradient"})
        }

    def _repr_html_(self) -> str:
        from compatload.notebook import table

        def told(specs: tuple[TensorSpec, ...]) -> list[str]:
            return [f"{one.name}: {one.dtype} {list(one.shape or ())}" for one in specs]

        return table(
            self.path,
            [
                ("format", self.format.value),
                ("saved by", f"paddle {self.saved_by}" if self.saved_by else "unknown"),
                ("inputs", told(self.inputs)),
                ("outputs", told(self.outputs)),
                (
                    "operators",
                    f"{len(self.program.operators)} of {len(self.program.operator_counts)} types",
                ),
                ("parameters", str(len(self.parameters))),
                ("methods", list(self.methods)),
                ("notes", list(self.notes)),
            ],
        )

    def to_dict(self) -> dict[str, object]:
        """Everything but the operators' details, ready for ``json.dumps``."""
        return {
            "path": self.path,
            "format": self.format.value,
            "saved_by": self.saved_by,
            "pir_version": self.pir_version,
            "trainable": self.trainable,
            "files": asdict(self.files),
            "inputs": [asdict(spec) for spec in self.inputs],
            "outputs": [asdict(spec) for spec in self.outputs],
            "operators": dict(self.program.operator_counts),
            "control_flow": self.program.has_control_flow,
            "parameters": [asdict(parameter) for parameter in self.parameters],
            "operator_versions": dict(self.operator_versions),
            "methods": {name: asdict(files) for name, files in self.methods.items()},
            "evidence": list(self.evidence),
            "notes": list(self.notes),
        }
