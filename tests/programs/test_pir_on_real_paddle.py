"""Converted programs, loaded by real releases and run: the short form of ``matrix/pir/prove.py``.

Runs with the interpreters in the folder ``COMPATLOAD_ENVIRONMENTS`` (``<release>/bin/python``).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from packaging.version import Version

from compatload.operators.registry import known_releases
from matrix.pir import prove

NAMES = [
    *("leaky_relu_slope", "softplus_beta", "max_pool2d_ceil", "max_pool3d", "lp_pool2d"),
    *("bilinear", "nearest", "pad_infinite", "expand_as", "kthvalue", "repeat_interleave"),
    *("group_norm", "logit", "full_nan", "full_infinite", "while", "if", "lstm"),
    *("median", "median_nan", "masked_fill_broadcast", "masked_fill_dynamic"),
    *("divide_trunc", "divide_trunc_integer", "slogdet_pair", "fused_rms_norm"),
]
# Which releases cannot save a model at all: their API lacks it.
UNSAVED = {"divide_trunc": "3.2", "divide_trunc_integer": "3.2", "slogdet_pair": "3.3"}


def _pairs() -> list[tuple[str, str]]:
    folder = os.environ.get("COMPATLOAD_ENVIRONMENTS")
    if not folder:
        return []
    there = [item for item in known_releases() if (Path(folder) / item / "bin" / "python").exists()]
    assert there, f"COMPATLOAD_ENVIRONMENTS={folder} holds no <release>/bin/python of a 3.x"
    newest, oldest = there[-1], there[0]
    return [(newest, loader) for loader in there[:-1]] + [(oldest, newest)]


PAIRS = _pairs()


@pytest.mark.skipif(not PAIRS, reason="COMPATLOAD_ENVIRONMENTS names no interpreters")
@pytest.mark.parametrize(("saver", "loader"), PAIRS)
def test_converted_programs_load_and_compute_the_same(saver, loader, tmp_path_factory):
    environments = Path(os.environ["COMPATLOAD_ENVIRONMENTS"])
    work = tmp_path_factory.getbasetemp() / "pir"
    found = prove.prove(environments, work, saver, loader, names=NAMES)
    expected = {name for name in NAMES if Version(saver) >= Version(UNSAVED.get(name, "0"))}
    assert set(found) == expected
    failed = {
        name: told for name, told in found.items() if any(o != "ok" for o, _ in told.values())
    }
    assert failed == {}
