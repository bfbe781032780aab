"""What loads hand to a real Paddle is written down, and what differs is found."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from matrix import handed
from matrix.handed import Recording, difference, fingerprint, parts_changed, unchanged
from matrix.recorder import APIS, info_hash, plain

CELLS = ("2.6.2/fixture:lstm/3.3.1/*", "3.3.1/fixture:classifier/3.3.1/*")


def record(into: Path, *options: str, only: tuple[str, ...] = CELLS) -> Path:
    chosen = [part for cell in only for part in ("--only", cell)]
    assert handed.main(["record", str(into), *chosen, *options]) == 0
    return into


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("handed") / "before.jsonl.gz")


def test_every_api_hands_something_over(before: Path) -> None:
    cells = Recording.read(before).cells
    assert {cell.rpartition("/")[2] for cell in cells} == set(APIS)
    assert len(cells) == 2 * len(APIS)
    for cell, line in cells.items():
        assert line["handed"], cell
        assert "error" not in line["plan"], cell
        assert not line.get("unsteady"), cell
    layer = cells["2.6.2/fixture:lstm/3.3.1/layer"]
    assert layer["plan"]["took"] == "translate"
    assert set(layer["handed"][0]["files"]) == {"json", "pdiparams"}
    # Where the first step fails, Paddle is handed the legacy program in legacy mode.
    assert set(layer["further"][0]["files"]) == {"pdmodel", "pdiparams", "pdiparams.info"}
    assert [layer["handed"][0]["pir"], layer["further"][0]["pir"]] == [True, False]


def test_a_config_is_noted_with_what_it_was_told(before: Path) -> None:
    recording = Recording.read(before)
    (event,) = recording.cells["3.3.1/fixture:classifier/3.3.1/configured"]["handed"]
    options = recording.meanings[event["options"]]
    assert ["cpu_math_thread", "3"] in options["summary"]  # as this caller wants it
    # As the rules want it, against what the caller had said.
    assert '["enable_memory_optim", [false], {}]' in options["told"]


def test_the_same_code_hands_over_the_same(
    before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = record(tmp_path / "again.jsonl.gz")
    assert handed.main(["compare", str(before), str(again)]) == 0
    assert "12 cells compared, 0 differ" in capsys.readouterr().out


def test_a_recalled_load_hands_over_the_same(
    before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = record(tmp_path / "recalled.jsonl.gz", "--recalled")
    cells = Recording.read(again).cells
    recalled = {cell.rpartition("/")[2] for cell, one in cells.items() if one["plan"]["recalled"]}
    # A ready Config and bytes are looked at anew each time.
    assert recalled == set(APIS) - {"configured", "in_memory"}
    assert handed.main(["compare", str(before), str(again)]) == 0
    assert "12 cells compared, 0 differ" in capsys.readouterr().out


def test_a_rule_that_is_off_is_seen(
    before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = record(tmp_path / "changed.jsonl.gz", "--without", "CL101")
    assert handed.main(["compare", str(before), str(changed)]) == 1
    said = capsys.readouterr().out
    assert "2.6.2/fixture:lstm/3.3.1/layer" in said
    assert "handed: infos, programs" in said
    assert "3.3.1/fixture:classifier" not in said
    assert handed.main(["compare", "--list", str(before), str(changed)]) == 1


def test_a_recording_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = ("--api", "predictor", "--api", "layer")
    monkeypatch.setattr(handed, "commit", lambda code: "0" * 40)
    first = record(tmp_path / "first.jsonl.gz", *some, only=CELLS[:1])
    whole = record(tmp_path / "whole.jsonl.gz", *some, "--onto", str(first))
    assert "recording: 2 of 2" in capsys.readouterr().err  # of four cells
    old, new = Recording.read(first), Recording.read(whole)
    assert old.cells.items() < new.cells.items()
    assert old.meanings.items() <= new.meanings.items()
    monkeypatch.setattr(handed, "commit", lambda code: "0" * 40 + "+")
    asked = ["record", str(tmp_path / "x"), "--only", CELLS[0], "--onto", str(first)]
    assert handed.main(asked) == 2
    assert "is of other code" in capsys.readouterr().err


def sham(folder: Path, text: str) -> Path:
    """A checkout whose compatload is no more than that."""
    (folder / "compatload").mkdir(parents=True)
    (folder / "compatload/__init__.py").write_text(text, encoding="utf-8")
    return folder


def test_the_code_is_that_of_the_checkout_and_a_death_is_told(tmp_path: Path) -> None:
    text = "import os\n\ndef safe_load(path, **options):\n    os.abort()\n"
    text += "\ndef safe_create_predictor(path):\n    raise ValueError(path)\n"
    code = sham(tmp_path / "code", text)
    some = ("--api", "layer", "--api", "program", "--api", "predictor")
    into = record(tmp_path / "sham.jsonl.gz", "--code", str(code), *some, only=CELLS[:1])
    recording = Recording.read(into)
    errors = {
        cell.rpartition("/")[2]: one["plan"]["error"] for cell, one in recording.cells.items()
    }
    assert errors == {
        "layer": "SIGABRT",
        "program": "AttributeError",
        "predictor": "ValueError",
    }
    assert recording.about["code"] == str(code)


def test_what_cannot_be_imported_ends_the_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = sham(tmp_path / "code", "import nothing_of_that_name\n")
    into = tmp_path / "none.jsonl.gz"
    asked = ["record", str(into), "--code", str(code), "--only", CELLS[0]]
    assert handed.main(asked) == 2
    assert "No module named 'nothing_of_that_name'" in capsys.readouterr().err
    assert not into.exists()


def test_no_checkout_and_no_recording_are_misuse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert handed.main(["record", str(tmp_path / "x"), "--code", str(tmp_path)]) == 2
    assert "is no checkout of compatload" in capsys.readouterr().err
    assert handed.main(["compare", str(tmp_path / "x"), str(tmp_path / "x")]) == 2


def event(**changed: object) -> dict[str, object]:
    files = {"json": "a", "pdiparams": "b", "pdiparams.info": "c"}
    told = {"call": "jit.load", "files": files, "dynamic": True, "pir": True, "device": "cpu"}
    return {**told, **changed}


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({}, set()),
        ({"files": {"json": "x", "pdiparams": "b", "pdiparams.info": "c"}}, {"programs"}),
        ({"files": {"json": "a", "pdiparams": "b"}}, {"infos"}),
        ({"files": {"json": "a", "pdiparams.info": "c"}}, {"weights"}),
        ({"pir": False}, {"modes"}),
        ({"options": "d"}, {"options"}),
        ({"call": "create_predictor"}, {"call"}),
    ],
)
def test_each_part_of_a_load_counts(changed: dict[str, object], parts: set[str]) -> None:
    assert parts_changed(event(), event(**changed)) == parts


def test_a_load_more_is_a_difference() -> None:
    plan = {"error": "LoadError", "rule": "CL101"}
    line = {"plan": plan, "handed": [event()], "further": []}
    more = {**line, "further": [event()]}
    assert difference(line, line) == []
    assert difference(line, more) == ["further: 0 → 1 loads"]
    assert difference(line, more, brief=True) == []
    other = {**line, "plan": {"error": "LoadError", "rule": "CL102"}}
    assert difference(line, other) == ["plan LoadError [CL101] → LoadError [CL102]"]
    assert difference(line, other, plans=False) == []
    assert fingerprint(line) != fingerprint(more)


def test_infos_count_by_their_content() -> None:
    one, other = {"x": {"a": 1}, "y": 2}, {"y": 2, "x": {"a": 1}}
    assert info_hash(pickle.dumps(one)) == info_hash(pickle.dumps(other, protocol=2))
    assert info_hash(pickle.dumps(one)) != info_hash(pickle.dumps({"x": 1}))
    code = pickle.dumps(plain)  # refers to a function, and is not run
    assert info_hash(code) == info_hash(code) != info_hash(code + b"x")


def test_arguments_are_told_in_a_steady_order() -> None:
    assert plain({"b": {"y", "x"}, "a": (1, None)}) == {"a": [1, None], "b": ["x", "y"]}
    assert plain(b"weights") == plain(bytearray(b"weights"))


def test_unchanged_is_what_is_handed_over_alike_to_the_same_network(before: Path) -> None:
    then = Recording.read(before)
    layer, program = (f"2.6.2/fixture:lstm/3.3.1/{api}" for api in ("layer", "program"))
    saved_anew = {**then.cells[program], "network": "another"}
    other = {**then.cells[layer], "sha256": "0" * 64}
    now = Recording(then.about, {**then.cells, layer: other, program: saved_anew}, {})
    assert unchanged(then, now) == then.cells.keys() - {layer, program}
