from __future__ import annotations

import pytest

from compatload.loading.staging import opens


@pytest.mark.parametrize(
    ("path", "platform", "readable"),
    [
        ("C:/models/model.json", "win32", True),
        ("C:/模型/model.json", "win32", False),
        ("/models/模型/model.json", "linux", True),
    ],
)
def test_paddle_opens_no_path_outside_ascii_on_windows(
    path: str, platform: str, readable: bool
) -> None:
    assert opens(path, platform) is readable
