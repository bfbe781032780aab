"""Writes down in which half precision an installed Paddle has kernels for a CPU.

    envs/3.3.1/bin/python matrix/derive_kernels.py FILE.json     by that Paddle's Python
    python -m matrix.derive_kernels FILE.json ...                compatload/operators/data

The second form packs what the first wrote of each release, oldest first, in halves.json. By format
and type: the operators that a CPU computes in float32 and does not compute in that type, or not in
each release, and the first release that does, or null. ``onednn``: those of them that oneDNN
computes in bfloat16. Kernels for strided tensors are not counted: programs do not run them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

TYPES = ("float32", "float16", "bfloat16")
DATA = Path(__file__).resolve().parents[1] / "compatload/operators/data/halves.json"


def probed() -> dict[str, Any]:
    """``own`` and ``onednn``: by format and type, the names of operators with such a kernel."""
    import paddle

    core = paddle.base.core
    kernels = core._get_registered_phi_kernels("function")
    plain = {name: _types(keys, "CPU, Undefined") for name, keys in kernels.items()}
    onednn = {name: _types(keys, "ONEDNN") for name, keys in kernels.items()}
    # Those that were never moved to the other library of kernels, by their legacy names.
    older = core._get_all_register_op_kernels("fluid")
    spelt = {"float": "float32", "float16": "float16", "bfloat16": "bfloat16"}
    own: dict[str, dict[str, set[str]]] = {"pir": plain, "legacy": {}}
    of_onednn: dict[str, dict[str, set[str]]] = {"pir": onednn, "legacy": {}}
    for proto in core.get_all_op_protos():
        name = paddle.base.proto.framework_pb2.OpProto.FromString(proto).type
        of = core._get_phi_kernel_name(name)
        words = {
            word
            for key in older.get(name, ())
            if "Place(cpu)" in key and "MKLDNN" not in key
            for word in re.findall(r"data_type\[(?:::)?(?:\w+::)*(\w+)\]", key)
        }
        told = {spelt[word] for word in words & spelt.keys()}
        own["legacy"][name] = plain.get(of, set()) | told
        of_onednn["legacy"][name] = onednn.get(of, set())
    return {
        "version": paddle.__version__,
        "own": {form: _by_type(names) for form, names in own.items()},
        "onednn": {form: _by_type(names) for form, names in of_onednn.items()},
    }


def _types(keys: list[str], place: str) -> set[str]:
    return {kind for kind in TYPES for key in keys if place in key and key.endswith(f" {kind})")}


def _by_type(names: dict[str, set[str]]) -> dict[str, list[str]]:
    return {kind: sorted(one for one in names if kind in names[one]) for kind in TYPES}


def packed(releases: list[dict[str, Any]]) -> dict[str, Any]:
    """What was written of the releases, oldest first, in one table."""
    return {form: _packed(form, releases) for form in ("pir", "legacy")}


def _packed(form: str, releases: list[dict[str, Any]]) -> dict[str, Any]:
    from compatload.operators.registry import known_releases, legacy_operators, pir_operators

    operators = pir_operators if form == "pir" else legacy_operators
    known = {
        name.rpartition(".")[2].rstrip("_")
        for release in known_releases(form)
        for name in operators(release)
        if not re.search(r"_grad_?$|_xpu_?$", name)
    }
    if form == "pir":
        releases = [one for one in releases if not one["version"].startswith("2")]
    table: dict[str, Any] = {}
    lacking: set[str] = set()
    for kind in TYPES[1:]:
        first: dict[str, str | None] = {}
        for name in sorted(known):
            computing = [one for one in releases if name in one["own"][form]["float32"]]
            having = [one["version"] for one in computing if name in one["own"][form][kind]]
            if computing and having != [one["version"] for one in computing]:
                first[name] = having[0] if having else None
        table[kind] = first
        lacking |= first.keys()
    of_onednn = {name for one in releases for name in one["onednn"][form]["bfloat16"]}
    table["onednn"] = sorted(of_onednn & lacking)
    return table


if __name__ == "__main__":
    if len(sys.argv) == 2:
        Path(sys.argv[1]).write_text(json.dumps(probed()), encoding="utf-8")
    else:
        files = [json.loads(Path(one).read_text(encoding="utf-8")) for one in sys.argv[1:]]
        DATA.write_text(json.dumps(packed(files), indent=0) + "\n", encoding="utf-8")
