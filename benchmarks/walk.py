"""A walk as a new user, recorded: ``python -m benchmarks.walk WHEELS [--models 300]``.

WHEELS is a folder with this checkout's wheel, which the package index does not have. The commands
of walk.sh are typed into a shell of an empty home; docs/walk.cast is what its terminal showed
(asciinema's format, version 2), and docs/why/walk.md the same as a page.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.fleet import zoo
from handbook.symptoms import symptoms

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
WIDTH, HEIGHT = 120, 40
READY = b"\x1b]0;ready\x07"
# Of a pause, as much as anybody wants to watch.
PAUSE = 2.0
HEAD = """# A walk as a new user

Recorded by `python -m benchmarks.walk` on {date}, two shared cores: an empty home, {models} models
that five releases of Paddle saved (every tenth of them damaged on purpose), the commands of
`benchmarks/walk.sh`. [walk.cast](../walk.cast) is the recording, for `asciinema play`; a run of
{minutes:.0f} minutes, with pauses left out.

```text
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--models", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compatload-walk-") as name:
        home = Path(name)
        zoo.mixed(home / "fleet", asked.models)
        shutil.copy(HERE / "walk_serve.py", home / "serve.py")
        shutil.copy(HERE / "walk_search.py", home / "search.py")
        found = [{"id": one.id, "message": one.message} for one in symptoms()]
        (home / "symptoms.json").write_text(json.dumps(found))
        began = time.monotonic()
        events = recorded(home, asked.wheels.resolve())
    minutes = (time.monotonic() - began) / 60
    header = {"version": 2, "width": WIDTH, "height": HEIGHT, "timestamp": int(time.time())}
    lines = [json.dumps(header), *(json.dumps(event) for event in shortened(events))]
    (DOCS / "walk.cast").write_text("\n".join(lines) + "\n", encoding="utf-8")
    head = HEAD.format(date=time.strftime("%Y-%m-%d"), models=asked.models, minutes=minutes)
    text = shown("".join(text for _, _, text in events))
    (DOCS / "why" / "walk.md").write_text(f"{head}{text}\n```\n", encoding="utf-8")


def recorded(home: Path, wheels: Path) -> list[tuple[float, str, str]]:
    """What the terminal of an interactive shell showed, with the seconds at which it did."""
    environment = {
        "HOME": str(home),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TERM": "dumb",
        "COLUMNS": str(WIDTH),
        "LINES": str(HEIGHT),
        "LANG": "C.UTF-8",
        "PS1": "\\[\\e]0;ready\\a\\]$ ",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "GLOG_minloglevel": "3",
        "OMP_NUM_THREADS": "1",
        "VIRTUAL_ENV_DISABLE_PROMPT": "1",
    }
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        shell = ["bash", "--noprofile", "--norc", "--noediting", "-i"]
        os.execve("/bin/bash", shell, environment)  # noqa: S606
    began = time.monotonic()
    events: list[tuple[float, str, str]] = []

    def until_ready() -> None:
        seen = b""
        while READY not in seen:
            seen += (data := os.read(terminal, 65536))
            told = data.replace(READY, b"").decode("utf-8", "replace")
            if told:
                events.append((time.monotonic() - began, "o", told))

    until_ready()
    for line in (HERE / "walk.sh").read_text(encoding="utf-8").splitlines():
        print(line, flush=True)
        os.write(terminal, line.encode() + b"\n")
        until_ready()
    os.write(terminal, b"exit\n")
    os.waitpid(child, 0)
    os.close(terminal)
    return events


def shortened(events: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """The same without long pauses."""
    kept, now, before = [], 0.0, 0.0
    for moment, kind, text in events:
        now += min(moment - before, PAUSE)
        before = moment
        kept.append((round(now, 3), kind, text))
    return kept


def shown(text: str) -> str:
    """What is to be read at the end: without colours, and lines that were written over."""
    plain = re.sub(r"\x1b\][^\x07]*\x07|\x1b\[[0-9;?]*[A-Za-z]", "", text)
    lines = (line.rstrip("\r").rpartition("\r")[2].rstrip() for line in plain.split("\n"))
    return re.sub(r"/\w+/compatload-walk-\w+", "~", "\n".join(lines)).removesuffix("\n$")


if __name__ == "__main__":
    main()
