"""What operators a CPU has no kernel for, and which no Python of Paddle's makes, out of a wheel.

    PYTHONPATH=. …/envs/2.6.2/bin/python -m matrix.generator.reach legacy
    PYTHONPATH=. …/envs/3.3.1/bin/python -m matrix.generator.reach pir

each writes its part of ``reach.json``. A wheel for CPUs registers kernels for CPUs only.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import paddle
from paddle.base import core

from compatload.operators.registry import legacy_operators, pir_operators

DATA = Path(__file__).with_name("reach.json")
# How Python makes an operator: by a function of the engine, or by its name in a legacy program.
_MADE = {
    "legacy": (
        re.compile(r"""\b(?:op_)?type\s*=\s*f?['"](\w+)['"]"""),
        re.compile(r"""\bop_name\s*=\s*['"](\w+)['"]"""),
        re.compile(r"""_elementwise_op\(\s*LayerHelper\(\s*['"](\w+)['"]"""),
    ),
    "pir": (re.compile(r"\b(?:_C_ops|_pir_ops)\.(\w+)"),),
}
# What makes no models: gradients, initial values, passes, training of many machines.
_ELSEWHERE = frozenset(
    (
        *("tests", "distributed", "decomposition", "cinn", "tensorrt"),
        *("autograd", "optimizer", "initializer"),
    )
)


def made(kind: str) -> frozenset[str]:
    """The names that Paddle's own Python makes operators by."""
    marks = _MADE[kind]
    return frozenset(name for text in _sources() for one in marks for name in one.findall(text))


def _sources() -> Iterator[str]:
    root = Path(paddle.__file__).parent
    for path in root.rglob("*.py"):
        if _ELSEWHERE.isdisjoint(path.relative_to(root).parts):
            yield path.read_text(encoding="utf-8", errors="replace")


def main(kind: str) -> None:
    version = paddle.__version__
    table = legacy_operators(version) if kind == "legacy" else pir_operators(version)
    with_kernel = {*core._get_all_register_op_kernels("all")}
    if kind == "pir":
        with_kernel |= {*core._get_registered_phi_kernels("function")}
    called = made(kind)
    bare = {name: name.rpartition(".")[2].rstrip("_") for name in table}
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    known[kind] = {
        "release": version,
        "no kernel for a CPU": sorted(n for n, one in bare.items() if one not in with_kernel),
        "no function makes it": sorted(
            n for n, one in bare.items() if called.isdisjoint((one, f"{one}_"))
        ),
    }
    DATA.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
