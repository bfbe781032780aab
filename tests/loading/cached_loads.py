"""Runs inside a real Paddle: loads one fixture with a cold, a warm and a damaged cache.

    python cached_loads.py IDENTITY CACHE

Prints one JSON object: ``conversions`` that were made, ``worst`` difference from stored outputs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent), str(ROOT / "tests" / "fixtures")]

import index  # noqa: E402
from worker import RUNNERS, loader  # noqa: E402

from compatload.loading import cached  # noqa: E402


def main(identity, place):
    made = []
    original = cached.prepare

    def counting(artifact, *arguments):
        made.append(artifact.path)
        return original(artifact, *arguments)

    cached.prepare = counting
    cached._SMALLEST = 0  # fixtures are small
    fixture = index.fixture(identity)
    worst = 0.0
    # A predictor runs a legacy program as it is: nothing is converted for it.
    apis = ("layer", "program") if fixture.format == "legacy" else tuple(RUNNERS)
    for state in ("cold", "warm", "damaged"):
        if state == "damaged":
            for program in Path(place).glob("entries/*/programs-0"):
                program.write_bytes(program.read_bytes()[:-1])
        for api in apis:
            import paddle

            paddle.disable_static()
            for actual, expected in RUNNERS[api](fixture, loader(api, "compatload")):
                worst = max(worst, index.difference(actual, expected))
    print(json.dumps({"conversions": len(made), "worst": worst}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
