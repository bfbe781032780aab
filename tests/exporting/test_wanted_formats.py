"""Which formats a range of releases needs."""

from __future__ import annotations

import pytest

from compatload.errors import UsageError
from compatload.exporting.wanted_formats import wanted


@pytest.mark.parametrize(
    ("native", "release", "formats", "loadable_by", "expected"),
    [
        ("pir", "3.3.1", None, None, ("pir",)),
        ("legacy", "2.6.2", None, None, ("legacy",)),
        ("pir", "3.3.1", ("legacy", "pir"), None, ("pir", "legacy")),
        ("pir", "3.3.1", ("legacy",), None, ("legacy",)),
        ("pir", "3.3.1", None, ">=2.6", ("pir", "legacy", "paddle==3.0.0")),
        ("pir", "3.3.1", None, ">=3.3.1", ("pir",)),
        ("pir", "3.0.0", None, ">=3.0", ("pir",)),
        ("pir", "3.2.2", None, "==3.1.*", ("pir", "paddle==3.1.0")),
        ("pir", "3.3.1", None, "<3.0", ("pir", "legacy")),
        ("legacy", "2.6.2", None, ">=2.6", ("legacy", "paddle==3.0.0")),
    ],
)
def test_formats(
    native: str,
    release: str,
    formats: tuple[str, ...] | None,
    loadable_by: str | None,
    expected: tuple[str, ...],
) -> None:
    assert wanted(native, release, formats, loadable_by) == expected


@pytest.mark.parametrize(
    ("formats", "loadable_by", "says"),
    [(("onnx",), None, "onnx"), (None, "new", "no range"), (None, ">=9", "no release")],
)
def test_what_makes_no_sense(
    formats: tuple[str, ...] | None, loadable_by: str | None, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        wanted("pir", "3.3.1", formats, loadable_by)
