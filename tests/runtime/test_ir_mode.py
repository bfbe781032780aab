from __future__ import annotations

import sys
import types

import pytest

from compatload.runtime.ir_mode import flag_value, ir_mode, pir_by_default, running_ir_mode
from compatload.runtime.model import IrMode

# Measured with Paddle itself: FLAGS_enable_pir_api=<text> python -c "import paddle; …" on the
# wheels of 2.6.2, 3.0.0 and 3.3.1 (the last two agree).
MEASURED = {
    "0": (False, False),
    "1": (True, True),
    "2": (False, True),
    "true": (True, True),
    "True": (True, True),
    "TRUE": (True, True),
    "false": (False, False),
    "False": (False, False),
    "FALSE": (False, False),
    "off": (False, False),
    "no": (False, False),
    "n": (False, False),
    "f": (False, False),
    "F": (False, False),
    "t": (False, True),
    "y": (False, True),
    "yes": (False, True),
    "on": (False, True),
    "ON": (False, True),
    "garbage": (False, True),
    "": (False, True),
    " 0": (False, True),
    "0 ": (False, True),
}


@pytest.mark.parametrize("text", MEASURED)
def test_spellings(text: str) -> None:
    assert (flag_value(text, "2.6.2"), flag_value(text, "3.3.1")) == MEASURED[text]


@pytest.mark.parametrize(
    ("version", "on"),
    [
        ("2.5.2", False),
        ("2.6.2", False),
        ("3.0.0b1", True),
        ("3.0.0", True),
        ("3.10.0", True),
        ("10.0.0", True),
        ("0.0.0", True),  # a build of the development branch
        (None, True),
        ("not a version", True),
    ],
)
def test_default(version: str | None, on: bool) -> None:
    assert pir_by_default(version) is on


def test_environment_decides_before_import() -> None:
    flag = {"FLAGS_enable_pir_api": "False"}
    assert ir_mode("3.3.1", flag) == IrMode(pir=False, source="environment")
    assert ir_mode("3.3.1", {}) == IrMode(pir=True, source="default")
    assert ir_mode("2.6.2", {}) == IrMode(pir=False, source="default")


def test_running_paddle_decides_after_import(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("paddle.base.framework")
    monkeypatch.setitem(sys.modules, "paddle.base.framework", module)
    assert running_ir_mode() is None  # its import has only begun
    module.use_pir_api = lambda: False  # type: ignore[attr-defined]
    assert running_ir_mode() == IrMode(pir=False, source="imported")
