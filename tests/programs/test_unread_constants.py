"""CL166: constants that nothing reads are left out of legacy programs, and nothing else is."""

from __future__ import annotations

from pathlib import Path

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.program_proto import message
from compatload.faults.cl166_unread_constants import unread
from compatload.programs.legacy_repairs import whole_programs
from compatload.programs.legacy_repairs.program import new_operator, parsed
from compatload.programs.legacy_repairs.standard_operators import fill_constant

FLOAT32, INT64 = 5, 3


def saved(folder: Path, *operators: object) -> Path:
    desc = message("ProgramDesc")
    desc.version.version = 2006002
    block = desc.blocks.add(idx=0, parent_idx=-1)
    for name in ("x", "one", "two", "sum", "feed", "fetch"):
        variable = block.vars.add(name=name, persistable=name in ("feed", "fetch"))
        variable.type.type = {"feed": 9, "fetch": 10}.get(name, 7)
        if variable.type.type == 7:
            variable.type.dense_tensor.tensor.data_type = FLOAT32
            variable.type.dense_tensor.tensor.dims.extend((2,))
    column = {"col": ("INT", 0)}
    block.ops.extend(
        [
            new_operator("feed", {"X": ["feed"]}, {"Out": ["x"]}, column),
            *operators,
            new_operator("elementwise_add", {"X": ["x"], "Y": ["one"]}, {"Out": ["sum"]}, {}),
            new_operator("fetch", {"X": ["sum"]}, {"Out": ["fetch"]}, column),
        ]
    )
    path = folder / "model.pdmodel"
    path.write_bytes(desc.SerializeToString())
    return path


def test_what_nothing_reads_is_left_out(tmp_path: Path) -> None:
    made = [fill_constant(name, FLOAT32, [2], 1.0) for name in ("one", "two")]
    path = saved(tmp_path, *made)
    artifact = inspect_artifact(str(path.with_suffix("")))
    assert unread(artifact) == {"two"}
    data, rules = whole_programs.sound(path.read_bytes(), artifact, translated=False)
    assert rules == {"CL166"}
    kinds = [one.type for one in parsed(data).blocks[0].ops]
    assert kinds == ["feed", "fill_constant", "elementwise_add", "fetch"]


def test_what_is_read_or_written_again_stays(tmp_path: Path) -> None:
    made = [fill_constant("one", FLOAT32, [2], 1.0), fill_constant("two", FLOAT32, [2], 1.0)]
    again = new_operator("assign", {"X": ["x"]}, {"Out": ["two"]}, {})
    artifact = inspect_artifact(str(saved(tmp_path, *made, again).with_suffix("")))
    assert unread(artifact) == frozenset()
