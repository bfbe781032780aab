from __future__ import annotations

from pathlib import Path

import pytest

from matrix.versions import entries, meets, of_tier, quick_releases

RELEASES = [
    "2.6.0",
    "2.6.1",
    "2.6.2",
    "3.0.0",
    "3.1.0",
    "3.1.1",
    "3.2.0",
    "3.2.1",
    "3.2.2",
    "3.3.0",
    "3.3.1",
]


def test_the_eleven_releases_are_there() -> None:
    found = [one.id for one in of_tier("full", entries())]
    assert found == RELEASES


def test_who_only_saves_with_other_flags_is_installed_as_its_release() -> None:
    legacy = [one for one in entries() if one.flags]
    assert [one.id for one in legacy] == ["3.0.0-legacy", "3.1.1-legacy", "3.3.1-legacy"]
    assert [one.environment for one in legacy] == ["3.0.0", "3.1.1", "3.3.1"]
    assert {one.roles for one in legacy} == {("save",)}
    assert all(one.environment == one.id for one in entries() if not one.flags)


def test_each_entry_has_an_id_of_its_own() -> None:
    ids = [one.id for one in entries()]
    assert len(set(ids)) == len(ids)


def test_a_full_run_includes_the_quick_one() -> None:
    quick, full = of_tier("quick", entries()), of_tier("full", entries())
    assert [one.id for one in quick] == ["2.6.2", "3.0.0", "3.3.1"]
    assert [one.id for one in full] == RELEASES
    assert len(of_tier("extra", entries())) == len(entries())


def test_networks_of_the_full_tier_meet_only_quick_releases() -> None:
    quick = quick_releases(entries())
    assert meets("full", ("2.6.2", "3.3.1"), quick)
    assert not meets("full", ("2.6.2", "3.2.2"), quick)
    assert meets("quick", ("rapidocr-1.4.5", "3.2.2"), quick)


def test_old_paddle_is_kept_from_new_numpy() -> None:
    for one in entries():
        assert ("numpy<2" in one.requirements) == (one.release.major < 3)


def test_a_new_release_is_one_entry(tmp_path: Path) -> None:
    table = tmp_path / "versions.toml"
    table.write_text(
        '[[paddle]]\nrelease = "3.0.0rc1"\ndistribution = "paddlepaddle"\npythons = ["3.11"]\n'
    )
    (one,) = entries(table)
    assert one.id == "3.0.0rc1"
    assert one.requirements == ("paddlepaddle==3.0.0rc1",)
    assert one.tier == "full"


@pytest.mark.parametrize(
    ("line", "said"),
    [('tire = "quick"', "tire"), ('tier = "fast"', "fast"), ('pins = "numpy"', "list")],
)
def test_a_slip_in_the_table_is_told(tmp_path: Path, line: str, said: str) -> None:
    table = tmp_path / "versions.toml"
    table.write_text(
        f'[[paddle]]\nrelease = "3.0.0"\ndistribution = "paddlepaddle"\npythons = []\n{line}\n'
    )
    with pytest.raises((ValueError, TypeError), match=said):
        entries(table)
