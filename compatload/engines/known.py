"""The engines that there are."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.engines import onnxruntime, openvino
from compatload.engines.engine import Engine

#: By what ``engine=`` calls them.
ENGINES: Mapping[str, Engine] = {
    engine.name: engine for engine in (openvino.ENGINE, onnxruntime.ENGINE)
}


def installed() -> tuple[Engine, ...]:
    return tuple(engine for engine in ENGINES.values() if engine.installed())
