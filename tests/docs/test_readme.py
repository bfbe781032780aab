"""What a newcomer and the package index see."""

from __future__ import annotations

import re

import yaml

from handbook.pages import pages
from handbook.symptoms import symptoms
from tests.docs.pages import DOCS, ROOT

LINES = 120
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_it_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= LINES


def test_links_work_where_no_repository_is() -> None:
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    site, repository = told["site_url"], told["repo_url"]
    raw = repository.replace("github.com", "raw.githubusercontent.com") + "/main/"
    known = {*pages(), *(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))}
    for name in ("README.md", "README.zh-CN.md"):
        for link in LINK.findall((ROOT / name).read_text(encoding="utf-8")):
            if link.startswith(site):
                page = link[len(site) :].rstrip("/")
                assert {f"{page}.md", f"{page}/index.md".lstrip("/")} & known, link
            else:
                assert link.startswith((f"{repository}/blob/main/", raw)), link
                assert (ROOT / link.split("/main/")[1]).exists(), link


def test_every_address_of_the_project_is_the_same() -> None:
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    for name in ("pyproject.toml", "CITATION.cff"):
        text = (ROOT / name).read_text(encoding="utf-8")
        found = re.findall(r"https://(?:[\w.-]*github[\w.-]*)/[\w./-]*", text)
        assert found, name
        assert all(one.startswith((told["site_url"], told["repo_url"])) for one in found), found


def test_figures_are_those_of_the_matrix() -> None:
    page = (DOCS / "why/matrix.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"compatload: ([\d,]+) of ([\d,]+) ok", page)
    readme, chinese = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md")
    )
    assert "{} of {} loads".format(*found) in readme
    assert all(figure in chinese for figure in found)
    assert "{} of {} cells".format(*found) in page


def test_as_many_messages_as_it_says() -> None:
    assert len(symptoms()) > 70
    assert "More than seventy messages" in (ROOT / "README.md").read_text(encoding="utf-8")
