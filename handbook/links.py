"""Every link of the built site leads somewhere: a page, an anchor on it, a file of the repository.

    python -m handbook.links build/site

Addresses on other servers are counted, not asked: they fail for reasons that are not ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import yaml

ROOT = Path(__file__).resolve().parents[1]


class Page(HTMLParser):
    """The anchors and links of one page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)


def broken(site: Path, address: str, repository: str) -> Iterator[str]:
    """One line for each link that leads nowhere.

    Args:
        address: where the site will stand.
        repository: whose files links may name.
    """
    pages = {file: Page(file) for file in site.rglob("*.html")}
    for file, page in sorted(pages.items()):
        for link in page.links:
            if file.name == "404.html" and not link.startswith(address):
                continue  # its links are those of the server's root
            reason = _reason(link, file, site, pages, address, repository)
            if reason:
                yield f"{file.relative_to(site)}: {link}: {reason}"


def _reason(
    link: str, file: Path, site: Path, pages: dict[Path, Page], address: str, repository: str
) -> str:
    if link.startswith(repository):
        kind, _, inside = link[len(repository) :].strip("/").partition("/main/")
        there = kind not in ("blob", "tree") or (ROOT / unquote(urldefrag(inside)[0])).exists()
        return "" if there else "no such file in the repository"
    if link.startswith(address):
        link = "/" + link[len(address) :]
    path, anchor = urldefrag(link)
    if urlsplit(path).scheme or path.startswith("//"):
        return ""
    base = urlsplit(address).path
    if path.startswith(base):
        path = "/" + path[len(base) :]
    start = site if path.startswith("/") else file.parent
    target = (start / unquote(path).lstrip("/")).resolve() if path else file
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "no such page"
    if anchor and target in pages and unquote(anchor) not in pages[target].anchors:
        return "no such anchor"
    return ""


def main(site: Path) -> int:
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    found = list(broken(site.resolve(), told["site_url"], told["repo_url"]))
    print(
        "\n".join(found) or f"every link of {len(list(site.rglob('*.html')))} pages leads somewhere"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
