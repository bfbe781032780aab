"""Print the JSON schema of what a verb prints for programs."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

EXIT_CODES = "exit codes: 0 done, 2 usage"

_OWN = ("bench", "cache", "check", "convert", "env", "inspect", "migrate", "plan", "selftest")
# Verb → the schema of what it prints.
SCHEMAS = {**{verb: verb for verb in _OWN}, "demo": "plan"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verb", choices=sorted(SCHEMAS))


def run(arguments: argparse.Namespace) -> int:
    found = files(__package__) / "schemas" / f"{SCHEMAS[arguments.verb]}.json"
    sys.stdout.write(found.read_text(encoding="utf-8"))
    return 0
