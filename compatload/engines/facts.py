"""What OpenVINO does not take, found before it sees a program.

``data/openvino.json`` is what one release answered when it was asked for each operator of Paddle
2.6 by itself (``python -m matrix.engine_facts``). Of other releases nothing is said beforehand:
they are asked when the program is compiled, in a child process at first.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from compatload.engines.extensions import EXTENSIONS
from compatload.engines.flaws import OF_OPENVINO, flaws, reads_double
from compatload.faults.graph import Graph


def objections(graph: Graph, release: str) -> tuple[str, ...]:
    """Each operator that ``release`` is known not to have, or to compute wrongly, with its place
    and the reason; none where nothing is known of the release."""
    table = _table()
    if release != table["release"]:
        return ()
    supported = frozenset((*table["supported"], *EXTENSIONS))
    unknown = (one.position for one in graph.operators if one.name not in supported)
    return (*unknown, *flaws(graph, OF_OPENVINO, reads_double))


@cache
def _table() -> Any:
    text = resources.files("compatload.engines").joinpath("data/openvino.json").read_text("utf-8")
    return json.loads(text)
