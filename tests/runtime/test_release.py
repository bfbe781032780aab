from __future__ import annotations

import pytest
from packaging.version import InvalidVersion, Version

from compatload.runtime.release import release_of


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("3.3.1", "3.3.1"),
        ("3.0.0rc1", "3.0.0"),
        ("3.0.0.dev20250101", "3.0.0"),
        ("2.6.2.post120", "2.6.2"),
        ("3.10.0+cu126", "3.10.0"),
    ],
)
def test_a_version_counts_as_the_release_it_leads_to(version: str, release: str) -> None:
    assert release_of(version) == Version(release)


def test_a_development_build_is_newer_than_every_release() -> None:
    assert release_of("0.0.0") > Version("3.99")


def test_what_is_no_version_is_an_error() -> None:
    with pytest.raises(InvalidVersion):
        release_of("newest")
