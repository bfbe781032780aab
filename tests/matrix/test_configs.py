"""Configs as a dimension of the matrix: names of cells, calls, counts."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from compatload import PredictorConfig
from matrix import configs
from matrix.cells import WITH, Cell, Result
from matrix.named_configs import NAMED, NamedConfig


class Told:
    """A Config of a release that knows two methods."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def enable_mkldnn(self) -> None:
        self.calls.append(("enable_mkldnn",))

    def delete_pass(self, name: str) -> None:
        self.calls.append(("delete_pass", name))


def test_a_config_is_told_what_its_release_knows() -> None:
    named = NamedConfig(
        "one",
        "a program",
        (("enable_new_ir", (True,)), ("enable_mkldnn", ()), ("delete_pass", ("a",))),
    )
    told = Told()
    named.apply(told)
    assert told.calls == [("enable_mkldnn",), ("delete_pass", "a")]


def test_every_program_is_cited() -> None:
    assert next(iter(NAMED)) == "default"
    assert all(one.source and one.name == name for name, one in NAMED.items())


def test_a_cell_names_its_config() -> None:
    cell = Cell("2.6.2", "lstm", "3.3.1", f"predictor{WITH}paddlex", "compatload")
    assert Cell.parse(cell.id) == cell
    with pytest.raises(ValueError, match="not a cell"):
        Cell.parse(cell.id.replace("predictor", "guess"))


def test_the_table_counts_the_last_of_each_cell_and_keeps_no_half_line(tmp_path: Path) -> None:
    journal = tmp_path / "configs.jsonl"
    lines = [
        {
            "key": f"2.6.2/{model}/3.3.1/predictor+paddlex/{caller}@1.2",
            "code": "x",
            "result": result,
        }
        for model, caller, result in (
            ("lstm", "paddle", Result("ok", 0.0).to_dict()),
            ("leaky", "paddle", Result("error", error="why").to_dict()),
            ("leaky", "paddle", Result("crash", error="SIGSEGV").to_dict()),
            ("leaky", "compatload", Result("wrong", 0.5).to_dict()),
        )
    ]
    journal.write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"key": "2.6', "utf-8")
    found = configs.everything(journal)
    assert len(found) == 3
    prose = f"# Prose\n\n{configs.MARK}\nearlier\n"
    (tmp_path / "configs.md").write_text(prose, encoding="utf-8")
    configs.write(found, tmp_path)
    told = json.loads((tmp_path / "configs.json").read_text(encoding="utf-8"))
    assert told["counts"]["paddlex"]["2.6.2 → 3.3.1"]["paddle"] == {"crash": 1, "ok": 1}
    assert [one[1] for one in told["compatload not ok"]] == ["wrong"]
    document = (tmp_path / "configs.md").read_text(encoding="utf-8")
    assert document.startswith("# Prose\n")
    assert "earlier\n" not in document
    assert "| 2.6.2 → 3.3.1 | 1 of 2 (1) | 0 of 1 |" in document
    fewer = {cell: one for cell, one in found.items() if cell.caller == "compatload"}
    configs.write({**fewer, next(iter(found)): ("x", Result("ok"))}, tmp_path)
    again = json.loads((tmp_path / "configs.json").read_text(encoding="utf-8"))
    assert again["counts"] == told["counts"]
    assert again["compatload not ok"] == told["compatload not ok"]


def test_the_document_has_the_fields_of_the_record() -> None:
    document = configs.DOCUMENT.read_text(encoding="utf-8")
    assert configs.MARK in document
    for field in fields(PredictorConfig):
        assert f"| `{field.name}` |" in document
