"""Cases that once killed or stopped a process, kept as files: ``deaths/<id>/``.

``case.json`` says what was done, by which release and call, and how it ended. Beside it lie the
files that differ from the fixture they were made of, compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.attacks.cases import Attack, models
from tests.attacks.damage import Case

DEATHS = Path(__file__).resolve().parent / "deaths"


def kept(folder: Path = DEATHS) -> list[Path]:
    """Every kept case."""
    return sorted(path.parent for path in folder.glob("*/case.json"))


def read_death(folder: Path) -> Attack:
    """The case kept in ``folder``."""
    record = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    model = next(one for one in models() if one.name == record["model"])
    files = {k: v for k, v in model.files.items() if k not in record["missing"]}
    for path in sorted(folder.glob("**/*.gz")):
        files[path.relative_to(folder).as_posix()[:-3]] = gzip.decompress(path.read_bytes())
    what, cause = record["what"], record["cause"]
    case = Case(0, record["model"], record["prefix"], what, files, False, cause)
    return Attack(record["release"], record["call"], case)


def keep_death(folder: Path, attack: Attack, line: Mapping[str, Any]) -> Path:
    """Where a case lies that died as ``line`` says: kept, but for one of the same cause."""
    case = attack.case
    model = next(one for one in models() if one.name == case.model)
    name = hashlib.sha256(f"{case.cause} {line['outcome']}".encode()).hexdigest()[:12]
    place = folder / name
    if (place / "case.json").exists():
        return place
    place.mkdir(parents=True, exist_ok=True)
    for path, data in case.files.items():
        if model.files.get(path) != data:
            target = place / f"{path}.gz"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.compress(data, 9, mtime=0))
    record = {
        "release": attack.release,
        "call": attack.call,
        "outcome": line["outcome"],
        "model": case.model,
        "prefix": case.prefix,
        "what": case.what[:300],
        "cause": case.cause,
        "ending": line["detail"].partition(" | ")[0],
        "missing": sorted(set(model.files) - set(case.files)),
    }
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    (place / "case.json").write_text(text, encoding="utf-8")
    return place
