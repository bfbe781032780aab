"""Show, empty or locate the cache of converted programs."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict

from compatload.store.cache import VARIABLE, ConversionCache
from compatload.store.entry import CacheEntry

EXIT_CODES = "exit codes: 0 done, 2 usage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "errand",
        choices=("list", "clear", "path"),
        help=f"entries, the last used first; remove all; where it is (set by ${VARIABLE})",
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    cache = ConversionCache()
    if arguments.errand == "path":
        answer: object = str(cache.path)
        text = str(cache.path)
    elif arguments.errand == "clear":
        removed = cache.clear()
        answer, text = {"removed": removed}, f"removed {removed} from {cache.path}"
    else:
        entries = cache.entries()
        answer = [{**asdict(entry), "path": str(entry.path)} for entry in entries]
        text = "\n".join(map(_line, entries)) or f"nothing is cached in {cache.path}"
    print(json.dumps(answer, indent=2) if arguments.json else text)
    return 0


def _line(entry: CacheEntry) -> str:
    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
    about = ", ".join(f"{name} {value}" for name, value in sorted(entry.about.items()))
    return f"{entry.key[:12]}  {entry.own_bytes / 1024:9.0f} KiB  used {used}  {about}"
