"""What is no argument of a drop-in is told as such, before Paddle is imported."""

from __future__ import annotations

import pytest

from compatload import safe_load_inference_model
from compatload.errors import UsageError
from tests.fixtures.index import fixture


@pytest.mark.parametrize("executor", [None, "cpu"])
def test_a_program_is_run_by_an_executor(executor: object) -> None:
    with pytest.raises(UsageError, match="takes an executor") as caught:
        safe_load_inference_model(str(fixture("2.6.2/classifier").path), executor)
    assert "paddle.static.Executor" in str(caught.value)
