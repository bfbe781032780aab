"""What is no argument of a drop-in is told as such, before Paddle is imported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compatload import ModelHandle, safe_create_predictor, safe_load, safe_load_inference_model
from compatload.errors import UsageError
from tests.fixtures.index import fixture


@pytest.mark.parametrize("executor", [None, "cpu"])
def test_a_program_is_run_by_an_executor(executor: object) -> None:
    with pytest.raises(UsageError, match="takes an executor") as caught:
        safe_load_inference_model(str(fixture("2.6.2/classifier").path), executor)
    assert "paddle.static.Executor" in str(caught.value)


@pytest.mark.parametrize("name", ["disabled_rules", "trusted", "trusted_operators"])
@pytest.mark.parametrize("load", [safe_load, safe_create_predictor])
def test_a_text_is_not_several(load: Callable[..., object], name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is the text 'CL217'"):
        load(str(fixture("2.6.2/classifier").path), **{name: "CL217"})


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "5"])
def test_a_handle_looks_after_seconds(seconds: object) -> None:
    with pytest.raises(UsageError, match="watch is"):
        ModelHandle(str(fixture("2.6.2/classifier").path), watch=seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [-1, float("nan"), "5"])
def test_a_call_waits_for_seconds(seconds: object) -> None:
    with pytest.raises(UsageError, match="acquire_timeout is"):
        safe_load(
            str(fixture("2.6.2/classifier").path),
            inference_only=True,
            acquire_timeout=seconds,  # type: ignore[call-overload]
        )
