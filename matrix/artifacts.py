"""The saved networks that a run works on, where they lie, and what tells two apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matrix.pool import ROOT

FIXTURES = ROOT / "tests/fixtures"
# Order of entries in .pdiparams.info differs between two saves of the same model.
UNSTABLE = (".pdiparams.info",)


@dataclass(frozen=True)
class Artifact:
    """A saved network, or why there is none: then ``error`` is a line and ``digest`` empty."""

    saver: str
    model: str
    family: str
    folder: Path
    digest: str = ""
    error: str | None = None
    tier: str = "quick"


def fixtures(savers: Iterable[str]) -> list[Artifact]:
    """The committed fixtures; their names start with ``fixture:``, and where they were derived
    from others they count for the release that saved those."""
    found = []
    for saver in savers:
        for record in sorted(FIXTURES.glob(f"{saver}/*/case.json")):
            folder = record.parent
            name = f"fixture:{folder.name}"
            found.append(Artifact(saver, name, "fixtures", folder, digest_of(folder)))
    return found


def digest_of(folder: Path) -> str:
    """Of every file's name and content."""
    total = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.endswith(UNSTABLE) and path.name != "origin.json":
            total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


def source_digest(patterns: Iterable[str]) -> str:
    """Of the files of the checkout that fit any of the patterns."""
    total = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
        if path.is_file() and "__pycache__" not in path.parts:
            total.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:12]


def saved_already(folder: Path, origin: str) -> str | None:
    """The digest of a folder that was saved from ``origin``, or None."""
    try:
        note = json.loads((folder / "origin.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return str(note["digest"]) if note.get("origin") == origin else None


def note_origin(folder: Path, origin: str) -> str:
    """Record what a folder was saved from; the save counts only from then on."""
    digest = digest_of(folder)
    note = json.dumps({"origin": origin, "digest": digest})
    (folder / "origin.json").write_text(note + "\n", encoding="utf-8")
    return digest
