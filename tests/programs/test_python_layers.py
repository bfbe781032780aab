"""CL161: the operators of a forward in the place of a layer of Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from artifact import programs as legacy_programs
from artifact.pir_documents import attribute, document, encode, operator, region

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, ArtifactFiles, Format
from compatload.artifact.program_desc import decode
from compatload.errors import DamagedArtifactError, UnsafeArtifactError
from compatload.operators.admission import require_admissible
from compatload.programs.legacy_repairs.program import parsed
from compatload.programs.legacy_repairs.whole_programs import sound
from compatload.programs.python_layers import written_out

END = "2.yield"
FED = operator(
    "1.data",
    (),
    (1,),
    (
        attribute("name", "0.a_str", "x"),
        attribute("shape", "1.a_intarray", [2]),
        attribute("dtype", "1.a_dtype", "float32"),
        attribute("place", "1.a_place", [0, 0, ""]),
    ),
)


def layer(value: int, results: tuple[int, ...], *forward: Any) -> dict[str, Any]:
    number = attribute("backward_function_id", "0.a_i32", 19)
    return operator("1.pylayer", (value,), results, (number,), regions=[region(*forward)])


def artifact(*operators: Any) -> Artifact:
    data = encode(document(FED, *operators))
    decoded = pir_json.decode(data, "model.json").program
    files = ArtifactFiles("model.json")
    made = Artifact("model", Format.PIR, files, decoded, (), None, pir_version=4)
    return replace(made, program_bytes=data)


def told(made: Artifact) -> list[tuple[str, list[int], list[int]]]:
    document = pir_json.parse(made.program_bytes, "model.json")
    return [
        (one["#"], [v["%"] for v in one["I"]], [v["%"] for v in one["O"]])
        for one in document["program"]["regions"][0]["blocks"][0]["ops"][1:]
    ]


def test_operators_of_the_forward_take_the_place_of_the_layer() -> None:
    forward = operator("1.tanh", (1,), (3,)), operator("1.relu", (3,), (4,)), operator(END, (4, 3))
    made = written_out(artifact(layer(1, (5, 6), *forward), operator("1.add", (5, 6), (7,))))
    assert told(made) == [("1.tanh", [1], [3]), ("1.relu", [3], [4]), ("1.add", [4, 3], [7])]
    require_admissible(made, written_out=False)


def test_layers_in_layers_and_those_that_yield_what_they_read() -> None:
    inner = layer(1, (3,), operator(END, (1,)))
    outer = layer(1, (4,), inner, operator("1.tanh", (3,), (5,)), operator(END, (3,)))
    made = written_out(artifact(outer, operator("1.relu", (4,), (6,))))
    assert told(made) == [("1.tanh", [1], [5]), ("1.relu", [1], [6])]


def test_without_layers_of_python_nothing_is_done() -> None:
    plain = artifact(operator("1.relu", (1,), (2,)))
    assert written_out(plain) is plain


@pytest.mark.parametrize(
    "damaged",
    [
        layer(1, (2,), operator(END, (1, 1))),
        layer(1, (2,), operator("1.tanh", (1,), (3,))),
        layer(1, (2,)),
        operator("1.pylayer", (1,), (2,)),
    ],
    ids=["too many", "no end", "nothing", "no forward"],
)
def test_layers_of_another_form_are_refused(damaged: Any) -> None:
    made = artifact(damaged, operator("1.relu", (2,), (9,)))
    with pytest.raises(UnsafeArtifactError, match="pylayer"):
        written_out(made)


def test_a_layer_that_stays_is_let_in_by_name_only() -> None:
    made = artifact(layer(1, (2,), operator(END, (1,))))
    require_admissible(made)
    with pytest.raises(UnsafeArtifactError, match="pylayer"):
        require_admissible(made, written_out=False)


def legacy(*, blocks: tuple[int, ...] = (1, 2)) -> tuple[bytes, Artifact]:
    """y is a layer's, whose forward has a branch, and a variable of a name that there is."""
    desc, main = legacy_programs.program()
    legacy_programs.variable(main, "h")
    legacy_programs.operator(
        main, "pylayer", {"Input": ["x"]}, {"Out": ["h"]}, blocks=("BLOCKS", list(blocks))
    )
    forward, backward, branch = (desc.blocks.add(idx=n, parent_idx=0) for n in (1, 2, 3))
    branch.parent_idx = 1
    legacy_programs.variable(forward, "w")
    legacy_programs.operator(forward, "tanh", {"X": ["x"]}, {"Out": ["w"]})
    legacy_programs.operator(
        forward, "conditional_block", {"Input": ["w"]}, {}, sub_block=("BLOCK", 3)
    )
    legacy_programs.operator(forward, "assign", {"X": ["w"]}, {"Out": ["h"]})
    legacy_programs.operator(branch, "relu", {"X": ["w"]}, {"Out": ["w"]})
    assert not backward.ops
    data = bytes(desc.SerializeToString())
    decoded = decode(data)
    made = artifact()
    return data, replace(made, format=Format.LEGACY, program=decoded.program, program_bytes=data)


def test_blocks_of_a_legacy_layer_become_those_of_its_own_block() -> None:
    data, made = legacy()
    result, rules = sound(data, made, translated=True)
    assert rules == {"CL161"}
    main, branch = parsed(result).blocks
    assert [one.type for one in main.ops][-3:] == ["tanh", "conditional_block", "assign"]
    assert main.ops[-2].attrs[0].block_idx == branch.idx == 1
    assert branch.parent_idx == 0
    assert [*main.ops[-1].inputs[0].arguments] == ["w/forward_1"]
    assert [*branch.ops[0].inputs[0].arguments] == ["w/forward_1"]
    assert "w/forward_1" in {one.name for one in main.vars}
    assert sound(data, made, translated=False) == (data, frozenset())


def test_a_legacy_layer_in_another_is_written_out_once() -> None:
    data, made = legacy()
    desc = parsed(data)
    inner = desc.blocks[3]
    inner.parent_idx = 1
    layer = desc.blocks[0].ops.add()
    layer.CopyFrom(desc.blocks[0].ops[-2])
    layer.attrs[0].blocks_idx[:] = [3]
    del desc.blocks[0].ops[-1], desc.blocks[1].ops[1]
    desc.blocks[1].ops.add().CopyFrom(layer)
    result, _ = sound(bytes(desc.SerializeToString()), made, translated=True)
    (main,) = parsed(result).blocks
    assert [one.type for one in main.ops][-3:] == ["tanh", "assign", "relu"]


@pytest.mark.parametrize("blocks", [(), (0,), (9,)])
def test_a_legacy_layer_without_a_block_is_refused(blocks: tuple[int, ...]) -> None:
    data, made = legacy()
    desc = parsed(data)
    desc.blocks[0].ops[-1].attrs[0].blocks_idx[:] = blocks
    with pytest.raises(DamagedArtifactError, match="no block of its own"):
        sound(bytes(desc.SerializeToString()), made, translated=True)
