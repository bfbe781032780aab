"""CL010: parameters that a file lists and its program does not use."""

from __future__ import annotations

from pathlib import Path

from compatload.checking.check import check
from compatload.checking.finding import Way
from tests.releases import run_in

SCRIPT = Path(__file__).with_name("unused_parameters.py")


def test_such_a_model_loads_and_paddle_alone_is_foreseen_to_refuse_it(tmp_path: Path) -> None:
    said = run_in("2.6.2", SCRIPT, str(tmp_path))
    assert "paddle: The model to be loaded is incomplete." in said
    assert said.endswith("ok\n")
    (model,) = check([str(tmp_path)], target="paddle==2.6.2").models
    alone = {one.api: (one.alone, one.rule) for one in model.loaders}
    assert alone["layer"] == ("error", "CL010")
    assert model.way is Way.COMPATLOAD
