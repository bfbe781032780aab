from __future__ import annotations

import pytest
from packaging.version import InvalidVersion, Version

from compatload.releases import MEASURED
from compatload.runtime.release import inferred_from, is_too_old, measured_as, release_of


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


@pytest.mark.parametrize(
    ("version", "measured", "inferred"),
    [
        ("3.3.1", "3.3.1", None),
        ("3.3.1.post1", "3.3.1", None),  # builds of it
        ("3.3.1+cu126", "3.3.1", None),
        ("2.6.2.post120", "2.6.2", None),
        ("3.3.2", "3.3.1", "3.3.1"),
        ("3.1.5", "3.1.1", "3.1.1"),
        ("3.10.0", "3.3.1", "3.3.1"),
        ("9.9", "3.3.1", "3.3.1"),
        ("3.3.0rc0", "3.3.0", "3.3.0"),  # leads to it, and is not it
        ("3.0.0b2", "3.0.0", "3.0.0"),
        ("3.2.0.dev20250701", "3.2.0", "3.2.0"),
        ("3.4.0.dev20260101", "3.3.1", "3.3.1"),
        ("0.0.0", "3.3.1", "3.3.1"),
        ("0.0.0.post112", "3.3.1", "3.3.1"),
        ("2.5.2", "2.6.0", "2.6.0"),
    ],
)
def test_the_nearest_measured_release_stands_for_a_version(
    version: str, measured: str, inferred: str | None
) -> None:
    assert (measured_as(version), inferred_from(version)) == (measured, inferred)


def test_what_is_no_version_is_inferred_from_the_newest() -> None:
    assert inferred_from("newest") == MEASURED[-1]


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("2.5.2", True),
        ("2.5.2.post117", True),
        ("1.8.5", True),
        ("2.6.0rc1", False),
        ("2.6.0", False),
        ("0.0.0", False),
        ("newest", False),
    ],
)
def test_what_is_older_than_every_supported_release(version: str, old: bool) -> None:
    assert is_too_old(version) is old
