"""What MkDocs asks of the handbook: the pages made by script, and links out of ``docs/``."""

from __future__ import annotations

import logging
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from handbook.pages import TAKEN, pages  # noqa: E402

LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)(#[^)]*)?(\))")
LOG = logging.getLogger("mkdocs.plugins.handbook")


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links of a file that stood elsewhere, or that leave ``docs/``, go where they meant to."""
    path = page.file.src_uri
    home = {page: file for file, page in TAKEN.items()}.get(path)

    def changed(found: re.Match[str]) -> str:
        head, target, anchor, end = found.groups()
        new = relinked(target, path, home, config["repo_url"])
        return f"{head}{new}{anchor or ''}{end}"

    return LINK.sub(changed, markdown)


def relinked(target: str, page: str, home: str | None, repository: str) -> str:
    """Where a link of ``page`` goes; ``home`` is the file of the repository that it is made of."""
    if "://" in target or target.startswith(("mailto:", "/")):
        return target
    stands = posixpath.dirname(home if home is not None else f"docs/{page}")
    wanted = posixpath.normpath(posixpath.join(stands, target))
    if home is None and wanted.startswith("docs/"):
        return target
    inside = TAKEN.get(wanted) or (wanted[5:] if wanted.startswith("docs/") else None)
    if inside is not None:
        return posixpath.relpath(inside, posixpath.dirname(page))
    if not (ROOT / wanted).exists():
        LOG.warning("%s: %s is not in the repository", page, target)
    kind = "tree" if (ROOT / wanted).is_dir() else "blob"
    return f"{repository}/{kind}/main/{wanted}"
