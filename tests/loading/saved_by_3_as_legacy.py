"""Load the networks of a folder through compatload, each in a fork, and tell what came of them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import paddle
import paddle.inference  # noqa: F401 - before the forks, which it would cost a second each

from matrix.calls import measure
from matrix.cells import APIS


def main(root: str) -> None:
    for folder in sorted(Path(root).iterdir()):
        for api in APIS:
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                found = measure(folder, api, "compatload")
                print(json.dumps([folder.name, api, found.outcome, found.rules, found.error]))
                sys.stdout.flush()
                os._exit(0)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main(sys.argv[1])
