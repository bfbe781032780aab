"""Legacy programs: decoded as ProgramDesc means them, refused where they contradict themselves."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from artifact.programs import DENSE, RAW, operator, program, variable
from fixtures.index import Fixture, fixtures
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from compatload.artifact import program_desc
from compatload.artifact.model import Format, Operator, TensorSpec
from compatload.artifact.program_proto import ATTR_TYPES, SCALAR_TYPES, message
from compatload.errors import DamagedArtifactError

LEGACY = [one for one in fixtures() if one.format == "legacy"]


def decode(description: Any):
    return program_desc.decode(description.SerializePartialToString(), "m.pdmodel")


def test_a_program_is_decoded() -> None:
    description, _ = program()
    description.op_version_map.pair.add(op_name="pool2d").op_version.version = 2
    decoded = decode(description)
    assert decoded.format is Format.LEGACY
    assert decoded.saved_by == "==2.6.2"
    assert decoded.operator_versions == {"pool2d": 2}
    assert decoded.parameters == (
        TensorSpec("b", "float32", (3,)),
        TensorSpec("w", "float32", (2,)),
    )
    assert decoded.program.inputs == (TensorSpec("x", "float32", (-1, 2)),)
    assert decoded.program.outputs == (TensorSpec("y", "float32", (-1, 2)),)
    assert decoded.program.operators[1] == Operator(
        "add", {"X": ("x",), "Y": ("w",)}, {"Out": ("y",)}, {"axis": -1}, 0, 1
    )
    assert decoded.program.variables["w"] == TensorSpec("w", "float32", (2,))
    assert decoded.program.variables["feed"].dtype is None


@pytest.mark.parametrize(
    ("version", "release"),
    [
        (1_008_004, "==1.8.4"),
        (2_006_002, "==2.6.2"),
        (3_003_001, "==3.3.1"),
        (0, None),
        (None, None),
    ],
)
def test_the_version_field_tells_the_release(version: int | None, release: str | None) -> None:
    decoded = decode(program(version=version)[0])
    assert decoded.saved_by == release
    assert any("version field" in line for line in decoded.evidence)


@pytest.mark.parametrize("one", LEGACY, ids=lambda one: one.identity)
def test_what_every_release_saved_is_decoded(one: Fixture) -> None:
    (path,) = (p for p in one.folder.iterdir() if p.name in ("model.pdmodel", "__model__", "model"))
    decoded = program_desc.decode(path.read_bytes(), str(path))
    assert [spec.name for spec in decoded.program.inputs] == list(one.input_names())
    assert len(decoded.program.outputs) == one.record["methods"]["forward"]["outputs"]
    for each in decoded.program.operators:
        assert each.attributes is not None


def test_the_text_form_says_the_same() -> None:
    description, _ = program()
    text = text_format.MessageToString(description).encode()
    decoded = program_desc.decode(text, "m.pbtxt", text=True)
    assert decoded.format is Format.LEGACY_TEXT
    assert decoded.program == decode(description).program


@pytest.mark.parametrize(
    "text",
    [b"blocks { idx: 0 }", b"blocks {", b"blocks { bogus: 1 }", b"", b"\xff", b"blocks {" * 10_000],
)
def test_a_text_form_that_is_none(text: bytes) -> None:
    with pytest.raises(DamagedArtifactError):
        program_desc.decode(text, "m.pbtxt", text=True)


ATTRIBUTES = [
    ("INT", 3, 3),
    ("FLOAT", 0.5, 0.5),
    ("STRING", b"NCHW", "NCHW"),
    ("STRING", b"\xff\x00", b"\xff\x00"),
    ("INTS", [1, 2], (1, 2)),
    ("FLOATS", [0.5, 1.0], (0.5, 1.0)),
    ("STRINGS", [b"a", b"\xff"], ("a", b"\xff")),
    ("BOOLEAN", True, True),
    ("BOOLEANS", [True, False], (True, False)),
    ("LONG", 2**40, 2**40),
    ("LONGS", [2**40], (2**40,)),
    ("FLOAT64", 0.1, 0.1),
    ("FLOAT64S", [0.1], (0.1,)),
    ("VAR", "x", "x"),
    ("VARS", ["x", "w"], ("x", "w")),
]


@pytest.mark.parametrize(("kind", "value", "plain"), ATTRIBUTES, ids=lambda v: str(v)[:20])
def test_attributes_are_plain_values(kind: str, value: Any, plain: object) -> None:
    description, block = program()
    operator(block, "scale", v=(kind, value))
    assert decode(description).program.operators[-1].attributes == {"v": plain}


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [("BOOLEAN", "b", True), ("LONG", "i", -5), ("FLOAT64", "r", 0.1), ("COMPLEX128", "c", 1 + 2j)],
)
def test_scalars_are_plain_values(kind: str, field: str, value: Any) -> None:
    description, block = program()
    attribute = operator(block, "full").attrs.add(name="v", type=ATTR_TYPES["SCALARS"])
    scalar = attribute.scalars.add(type=SCALAR_TYPES[kind])
    if kind == "COMPLEX128":
        scalar.c.r, scalar.c.i = value.real, value.imag
    else:
        setattr(scalar, field, value)
    assert decode(description).program.operators[-1].attributes == {"v": (value,)}


def test_sub_blocks_are_owned() -> None:
    description, block = program()
    operator(block, "while", sub_block=("BLOCK", 1))
    operator(block, "pylayer", blocks=("BLOCKS", [2]))
    for index in (1, 2):
        operator(description.blocks.add(idx=index, parent_idx=0), "increment")
    decoded = decode(description)
    assert [o.sub_blocks for o in decoded.program.operators] == [(), (), (), (1,), (2,), (), ()]
    assert [o.block for o in decoded.program.operators] == [0, 0, 0, 0, 0, 1, 2]
    assert decoded.program.has_control_flow


def test_raw_variables_are_not_among_the_weights() -> None:
    description, block = program()
    variable(block, "raw", kind=RAW, persistable=True)
    assert [spec.name for spec in decode(description).parameters] == ["b", "w"]


def test_arguments_that_are_not_given_need_no_declaration() -> None:
    description, block = program()
    operator(block, "relu", {"X": ["x"], "Y": ["@EMPTY@"]}, {"Out": [""]})
    assert decode(description).program.operators[-1].inputs["Y"] == ("@EMPTY@",)


def test_a_program_without_outputs_is_noted() -> None:
    description, block = program()
    del block.ops[2]
    assert "no outputs" in decode(description).notes[0]


def test_names_of_the_main_block_win() -> None:
    description, _ = program()
    variable(description.blocks.add(idx=1, parent_idx=0), "x", (9,))
    assert decode(description).program.variables["x"].shape == (-1, 2)


def _block(description: Any, **fields: int) -> None:
    description.blocks.add(**{"idx": 1, "parent_idx": 0, **fields})


def _loop(description: Any, block: Any, target: int) -> None:
    _block(description)
    operator(block, "while", sub_block=("BLOCK", target))


def _own_block(description: Any, block: Any) -> None:
    _loop(description, block, 1)
    operator(description.blocks[1], "while", sub_block=("BLOCK", 1))


def _ancestor(description: Any, block: Any) -> None:
    _own_block(description, block)
    _block(description, idx=2, parent_idx=1)
    operator(description.blocks[2], "while", sub_block=("BLOCKS", [1]))


def _set(path: str, value: Any) -> Callable[[Any, Any], None]:
    """A defect that sets one field: ``"vars[0].type.type"`` of the main block."""

    def damage(description: Any, block: Any) -> None:
        place = block
        *way, last = path.replace("[", ".").replace("]", "").split(".")
        for step in way:
            place = place[int(step)] if step.isdigit() else getattr(place, step)
        setattr(place, last, value)

    return damage


DEFECTS: dict[str, Callable[[Any, Any], None]] = {
    "no blocks": lambda d, b: d.ClearField("blocks"),
    "block 0 is block 1": _set("idx", 1),
    "block 0 has a parent": _set("parent_idx", 0),
    "block that is its own parent": lambda d, b: _block(d, parent_idx=1),
    "block with a parent behind it": lambda d, b: _block(d, parent_idx=7),
    "second block without a parent": lambda d, b: _block(d, parent_idx=-1),
    "forward block that is not there": _set("forward_block_idx", 9),
    "loop over no block": lambda d, b: _loop(d, b, 9),
    "loop over the main block": lambda d, b: _loop(d, b, 0),
    "loop over a negative block": lambda d, b: _loop(d, b, -1),
    "block attribute where there is one block": lambda d, b: operator(
        b, "while", sub_block=("BLOCK", 1)
    ),
    "loop inside itself": _own_block,
    "loop over an ancestor": _ancestor,
    "unknown attribute type": _set("ops[1].attrs[0].type", 99),
    "unknown kind of variable": _set("vars[2].type.type", 99),
    "unknown data type": _set("vars[2].type.dense_tensor.tensor.data_type", 99),
    "parameter of 65 dimensions": lambda d, b: variable(b, "v", (1,) * 65, persistable=True),
    "parameter below -1": lambda d, b: variable(b, "v", (-2,), persistable=True),
    "variable declared twice": lambda d, b: variable(b, "x"),
    "feed of no variable": lambda d, b: operator(b, "feed", {}, {"Out": ["nowhere"]}),
    "argument that is not declared": lambda d, b: operator(b, "relu", {"X": ["nowhere"]}),
    "variable attribute that is not declared": lambda d, b: operator(
        b, "relu", {}, axis=("VAR", "nowhere")
    ),
    "no operators": lambda d, b: b.ClearField("ops"),
    "feed without output": lambda d, b: operator(b, "feed"),
    "fetch of two variables": lambda d, b: operator(b, "fetch", {"X": ["x", "y"]}),
    "column is no number": lambda d, b: operator(
        b, "fetch", {"X": ["x"]}, col=("STRING", b"first")
    ),
    "variable without a kind": lambda d, b: b.vars.add(name="v"),
    "operator without a type": lambda d, b: b.ops.add(),
    "attribute without a name": lambda d, b: b.ops[0].attrs.add(type=0),
    "required field of a tensor missing": lambda d, b: b.vars.add(
        name="v", type={"type": DENSE, "dense_tensor": {"lod_level": 0}}
    ),
}


@pytest.mark.parametrize("defect", sorted(DEFECTS))
def test_contradictions_are_damage(defect: str) -> None:
    description, block = program()
    DEFECTS[defect](description, block)
    with pytest.raises(DamagedArtifactError, match=r"m\.pdmodel is damaged"):
        decode(description)


@pytest.mark.parametrize("name", [b"w", b"add", b"Out", b"axis"])
def test_names_that_are_no_utf8_are_damage(name: bytes) -> None:
    data = program()[0].SerializeToString()
    tag = bytes([len(name)]) + name
    # Which parse notices it first differs between protobuf's implementations.
    with pytest.raises(DamagedArtifactError, match=r"no UTF-8|no ProgramDesc"):
        program_desc.decode(data.replace(tag, bytes([len(name)]) + b"\xff" * len(name)))


def test_the_survey_sees_what_the_program_holds() -> None:
    """The flat view gathers every repeated message, whichever protobuf runs it."""
    description, block = program()
    operator(block, "while", sub_block=("BLOCK", 1), blocks=("BLOCKS", [1]))
    operator(description.blocks.add(idx=1, parent_idx=0), "increment", step=("FLOAT", 1.0))
    survey = message("Survey")
    survey.ParseFromString(description.SerializeToString())
    operators = survey.blocks.ops
    assert list(operators.type) == ["feed", "add", "fetch", "while", "increment"]
    assert list(operators.attrs.type) == [0, 0, 0, ATTR_TYPES["BLOCK"], ATTR_TYPES["BLOCKS"], 1]
    assert list(operators.attrs.block_idx) == [1]
    assert list(operators.attrs.blocks_idx) == [1]
    assert list(survey.blocks.vars.name) == ["feed", "fetch", "x", "w", "b", "y"]
    assert list(survey.blocks.vars.type.dense_tensor.tensor.data_type) == [5] * 4


def test_a_decoded_program_survives_pickling() -> None:
    decoded = decode(program()[0])
    again = pickle.loads(pickle.dumps(decoded))
    assert again == decoded
    assert type(again.program.operators[0]) is Operator


@given(st.data())
def test_a_changed_byte_is_accepted_or_damage(draw: st.DataObject) -> None:
    data = bytearray(program()[0].SerializeToString())
    for _ in range(draw.draw(st.integers(1, 3))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        decoded = program_desc.decode(bytes(data))
    except DamagedArtifactError:
        return
    for each in decoded.program.operators:
        assert each.inputs is not None
        assert each.attributes is not None
    assert decoded.program.variables is not None
    assert [*decoded.program.variables]


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted_or_damage(data: bytes) -> None:
    try:
        decoded = program_desc.decode(data)
    except DamagedArtifactError:
        return
    assert decoded.program.operators is not None
