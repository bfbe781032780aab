"""What is written by script when the site is built, and what people keep in step with it."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import compatload
from compatload.cli import VERBS
from compatload.faults.texts import rule_texts
from handbook.hook import relinked
from handbook.pages import pages
from handbook.symptoms import symptoms
from tests.docs.pages import DOCS, ROOT

REPOSITORY = "https://forge/x"


def test_every_rule_and_symptom_has_a_page_in_both_languages() -> None:
    made = pages()
    for folder in ("", "zh/"):
        assert {f"{folder}reference/rules/{identity}.md" for identity in rule_texts()} <= set(made)
        assert {f"{folder}symptoms/{one.id}.md" for one in symptoms()} <= set(made)


def test_every_public_name_is_documented() -> None:
    made = pages()["reference/api.md"] + pages()["reference/errors.md"]
    names = [name for name in compatload.__all__ if not name.startswith("__")]
    assert [name for name in names if made.count(f"::: compatload.{name}\n") != 1] == []


def test_every_verb_tells_its_options() -> None:
    made = pages()["reference/verbs.md"]
    for verb in VERBS:
        assert f"usage: compatload {verb}" in made


def test_every_environment_variable_is_documented() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "compatload").rglob("*.py"))
    read = {name for text in sources for name in re.findall(r"\bCOMPATLOAD_[A-Z_]+\b", text)}
    page = (DOCS / "reference/environment.md").read_text(encoding="utf-8")
    assert read == set(re.findall(r"^\| `(COMPATLOAD_[A-Z_]+)`", page, re.MULTILINE))


def test_pages_stand_in_the_navigation_or_are_led_to() -> None:
    def leaves(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        found = entry.values() if isinstance(entry, dict) else entry
        assert not isinstance(found, int)
        return [leaf for one in found for leaf in leaves(one)]  # type: ignore[attr-defined]

    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    shown = leaves(told["nav"])
    written = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert [one for one in shown if one not in written and one not in pages()] == []
    led_to = "".join((DOCS / "why/evidence.md").read_text(encoding="utf-8").split())
    assert [one for one in written - set(shown) if f"../{one}" not in led_to] == []


def test_no_page_is_written_twice() -> None:
    assert [one for one in pages() if (DOCS / one).exists()] == []


def test_links_go_where_they_meant_to() -> None:
    def of(target: str, page: str, home: str | None = None) -> str:
        return relinked(target, page, home, REPOSITORY)

    assert of("https://x/y", "start.md") == "https://x/y"
    assert of("how-to/index.md", "start.md") == "how-to/index.md"
    assert of("../matrix/REPORT.md", "start.md") == f"{REPOSITORY}/blob/main/matrix/REPORT.md"
    assert of("../SECURITY.md", "start.md") == "why/security.md"
    assert of("CONTRIBUTING.md", "why/architecture.md", "ARCHITECTURE.md") == "contributing.md"
    assert of("docs/configs.md", "why/changelog.md", "CHANGELOG.md") == "../configs.md"
    assert of("tests", "why/security.md", "SECURITY.md") == f"{REPOSITORY}/tree/main/tests"


def test_the_site_checker_finds_what_leads_nowhere(tmp_path: Path) -> None:
    from handbook.links import broken

    (tmp_path / "a").mkdir()
    links = ("a/", "a/#x", "b/", "a/#y", "https://else/where", f"{REPOSITORY}/blob/main/README.md")
    links += (f"{REPOSITORY}/blob/main/NOTHING.md", "https://site/x/a/")
    text = "".join(f'<a href="{link}">' for link in links)
    (tmp_path / "index.html").write_text(text)
    (tmp_path / "a/index.html").write_text('<p id="x"><img src="../none.png">')
    found = list(broken(tmp_path, "https://site/x/", REPOSITORY))
    assert [line.split(": ")[1] for line in found] == [
        *("../none.png", "b/", "a/#y"),
        f"{REPOSITORY}/blob/main/NOTHING.md",
    ]
