"""Predictors from the Configs that programs make, in real releases."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compatload.runtime.cpu import detect_cpu
from matrix.artifacts import FIXTURES
from tests.releases import done_in, releases

WORKER = Path(__file__).with_name("configured.py")
SECONDS = 600
# What breaks where Paddle translates it to PIR, or in its PIR passes; and what does not.
MODELS = tuple(
    str(FIXTURES / name)
    for name in (
        *("2.6.2/bilinear_aligned", "2.6.2/detector", "2.6.2/round", "2.6.2/v1_image"),
        *("2.6.2/v1_matmul", "2.6.2/classifier", "2.6.2/lstm", "3.0.0/detector"),
        *("3.3.1/bilinear_aligned", "3.3.1/detector", "3.3.1/classifier", "3.3.1/while_loop"),
    )
)


def lines(release: str, *arguments: str) -> list[dict[str, Any]]:
    done = done_in(release, WORKER, *arguments, seconds=SECONDS)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert found, done.stderr[-2000:]
    return found


@cache
def verdicts(release: str, config: str) -> dict[str, dict[str, Any]]:
    return {line["folder"]: line for line in lines(release, "compatload", config, *MODELS)}


# Without AVX-512 Paddle does not switch it on.
BFLOAT16 = {"precision": "bfloat16"} if "avx512bw" in detect_cpu().features else {}


@pytest.mark.parametrize("release", releases())
def test_what_a_config_asks_for_is_read_from_it_and_from_its_copy(release: str) -> None:
    default, *changes = lines(release, "read")
    assert default["default"]["onednn"]
    assert default["default"]["ir_optim"]
    expected = [
        {"disable_mkldnn": {"onednn": False}},
        {"enable_mkldnn": {}},
        {"enable_mkldnn_bfloat16": BFLOAT16},
        {"enable_mkldnn_int8": {"precision": "int8"}},
        {"switch_ir_optim": {"ir_optim": False}},
        {"enable_memory_optim": {"memory_optim": True}},
        *([] if release.startswith("2.") else [{"enable_new_ir": {"new_ir": True}}]),
        {"set_cpu_math_library_num_threads": {"threads": 3}},
    ]
    assert changes[::2] == expected
    assert changes[1::2] == expected


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("config", ["paddlex", "paddlex-plain", "no-ir-optim", "new-ir"])
@pytest.mark.parametrize("release", releases())
def test_computes_what_was_stored(release: str, config: str, model: str) -> None:
    told = verdicts(release, config).get(model)
    assert told is not None, "the process died before it came to this one"
    assert told.get("ok"), told


@pytest.mark.parametrize("release", [one for one in releases() if not one.startswith("2.")])
def test_onednn_stays_and_the_report_says_what_goes(release: str) -> None:
    told = verdicts(release, "paddlex")
    assert all(one["onednn"] for one in told.values())
    for model, one in told.items():
        # The caller's own Config stays as it was.
        assert (one["asked"], one["still"]) == (True, True)
        legacy = "/2.6.2/" in model or one["notes"][0].startswith("enable_new_ir")
        what = "enable_new_ir" if legacy else "enable_memory_optim"
        assert any(line.startswith(f"{what} is switched off: ") for line in one["notes"])


def test_a_config_that_holds_the_bytes_of_a_legacy_model() -> None:
    models = [model for model in MODELS if "/2.6.2/" in model]
    for told in lines("3.3.1", "compatload", "paddlex:memory", *models):
        assert told.get("ok"), told
        assert told["onednn"]


def test_paddle_alone_fails_with_that_config() -> None:
    (told,) = lines("3.3.1", "paddle", "paddlex", MODELS[0])
    assert "ConvertPirAttribute2RuntimeAttribute not support" in told["error"]
