from __future__ import annotations

import pickletools

import pytest
from fixtures.index import fixtures

from compatload.artifact.inspection import inspect_artifact
from compatload.artifact.model import Parameter
from compatload.artifact.pir_json import parse
from compatload.errors import DamagedArtifactError, WeightsMismatchError
from compatload.programs.pir_to_legacy.convert import ConvertedProgram, pir_to_legacy
from matrix.families.legacy_files import write_legacy

PIR = [fixture for fixture in fixtures() if fixture.format == "pir"]


def test_there_are_fixtures():
    assert len(PIR) == 83


@pytest.mark.parametrize("fixture", PIR, ids=lambda fixture: fixture.identity)
def test_what_real_releases_saved_is_written_and_read_again(fixture, tmp_path):
    source = inspect_artifact(str(fixture.path))
    program = parse((fixture.folder / "model.json").read_bytes())
    converted = pir_to_legacy(program, source.parameters)
    write_legacy(converted, source.parameters, str(tmp_path), "model")
    found = inspect_artifact(str(tmp_path / "model"))
    assert [i.name for i in found.inputs] == [i.name for i in source.inputs]
    assert [o.name for o in found.outputs] == [o.name for o in source.outputs]
    stored = {p.name: (p.dtype, p.shape, p.nbytes) for p in found.parameters}
    assert stored == {p.name: (p.dtype, p.shape, p.nbytes) for p in source.parameters}
    for parameter in found.parameters:
        twin = next(p for p in source.parameters if p.name == parameter.name)
        assert raw(parameter) == raw(twin)


def raw(parameter):
    with open(parameter.file, "rb") as file:
        file.seek(parameter.offset)
        return file.read(parameter.nbytes)


def weights(folder, length=16):
    path = folder / "weights"
    path.write_bytes(bytes(range(length)))
    return [Parameter("w", "float32", (4,), str(path), 0, 16)]


CONVERTED = ConvertedProgram(b"program", ("w",), {"w": {"trainable": True}})


def test_the_info_is_a_pickle_without_globals(tmp_path):
    write_legacy(CONVERTED, weights(tmp_path), str(tmp_path), "m")
    opcodes = {
        op.name for op, *_ in pickletools.genops((tmp_path / "m.pdiparams.info").read_bytes())
    }
    assert not opcodes & {"GLOBAL", "STACK_GLOBAL", "REDUCE", "INST", "OBJ"}


def test_weights_cut_short_leave_nothing(tmp_path):
    given, target = weights(tmp_path, 10), tmp_path / "target"
    target.mkdir()
    with pytest.raises(DamagedArtifactError, match="end inside the tensor w"):
        write_legacy(CONVERTED, given, str(target), "m")
    assert list(target.iterdir()) == []


def test_a_tensor_that_is_not_there_is_named(tmp_path):
    with pytest.raises(WeightsMismatchError, match="no tensor w"):
        write_legacy(CONVERTED, [], str(tmp_path), "m")
    assert list(tmp_path.iterdir()) == []


def test_a_program_without_parameters_is_one_file(tmp_path):
    written = write_legacy(ConvertedProgram(b"program", (), {}), [], str(tmp_path), "m")
    assert [path.name for path in tmp_path.iterdir()] == ["m.pdmodel"]
    assert written == (str(tmp_path / "m.pdmodel"),)
