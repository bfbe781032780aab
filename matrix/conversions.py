"""Every saved network written in the other format: what ``convert`` refuses, or finds changed.

    python -m matrix.conversions                           of 2.6.2 to PIR, of 3.x to legacy
    python -m matrix.conversions --saver 3.3.1 --verify    numbers compared as well: slow

The networks are those that a run of the matrix had saved, and the committed fixtures. Inputs,
outputs, parameters and slots are held against the source; all of it is what Paddle itself wrote,
so a refusal that names no operator is a fault of ``convert``. A line for each that is refused.
Exit status: 0 all are written, 1 some are not, 2 misuse.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from compatload import convert
from compatload.errors import CompatLoadError
from matrix.artifacts import Artifact, fixtures
from matrix.pairs import saved
from matrix.progress import say
from matrix.releases import REPRESENTATIVES as RELEASES
from matrix.run import install
from matrix.versions import entries

# Who translates legacy programs, and runs either side where numbers are compared.
_NEWEST = RELEASES[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    wanted = {_NEWEST, *(asked.saver if asked.verify else ())}
    environments, _ = install([entry for entry in entries() if entry.id in wanted])
    pythons = [environment.python for environment in environments.values()]
    counts: Counter[str] = Counter()
    for one in [*fixtures(asked.saver), *saved(asked.saver)]:
        problem = refusal(one, pythons, verify=asked.verify)
        counts["refused" if problem else "written"] += 1
        if problem:
            say(f"{one.saver}/{one.model}  {problem}")
    say(", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items())))
    return 1 if counts["refused"] else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.conversions",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--saver", action="append", choices=RELEASES, help="default: all")
    parser.add_argument("--verify", action="store_true", help="compare numbers, too")
    asked = parser.parse_args(arguments)
    asked.saver = asked.saver or list(RELEASES)
    return asked


def refusal(one: Artifact, pythons: Sequence[str], *, verify: bool = False) -> str | None:
    """Why ``convert`` does not write a network in the other format, in a line."""
    to = f"paddle=={_NEWEST}" if one.saver.startswith("2.") else "legacy"
    source = one.folder / "model"
    with tempfile.TemporaryDirectory(prefix="compatload-conversions-") as folder:
        try:
            convert(
                source,
                Path(folder) / "model",
                to=to,
                verify=verify,
                interpreters=pythons,
            )
        except CompatLoadError as error:
            return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return None


if __name__ == "__main__":
    sys.exit(main())
