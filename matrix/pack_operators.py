"""Packs what ``derive_operators.py`` found in each release into ``compatload/operators/data``.

    python matrix/pack_operators.py DIRECTORY      # of 2.6.2.json, 3.0.0.json …

The oldest release is stored whole, every later one as what it removed and what is new or changed.
The output is the same, byte for byte, for the same input.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

_DATA = Path(__file__).resolve().parent.parent / "compatload" / "operators" / "data"

_ELEMENT_TYPES = {
    "pir::BoolAttribute": "0.a_bool",
    "pir::FloatAttribute": "0.a_f32",
    "pir::DoubleAttribute": "0.a_f64",
    "pir::Int32Attribute": "0.a_i32",
    "pir::Int64Attribute": "0.a_i64",
    "pir::StrAttribute": "0.a_str",
    "paddle::dialect::IntArrayAttribute": "1.a_intarray",
    "paddle::dialect::DataTypeAttribute": "1.a_dtype",
    "paddle::dialect::PlaceAttribute": "1.a_place",
    "paddle::dialect::ScalarAttribute": "scalar",
}
_VALUE_TYPES = {
    "": "any",
    "paddle::dialect::DenseTensorType": "dense",
    "paddle::dialect::DenseTensorArrayType": "tensor_array",
    "paddle::dialect::SelectedRowsType": "selected_rows",
    "paddle::dialect::SparseCooTensorType": "sparse_coo",
    "paddle::dialect::SparseCsrTensorType": "sparse_csr",
    "paddle::dialect::IntArrayAttribute": "intarray",
    "paddle::dialect::ScalarAttribute": "scalar",
}


def _inner(cxx_type: str, outer: str) -> str | None:
    prefix = f"{outer}<"
    return cxx_type[len(prefix) : -1] if cxx_type.startswith(prefix) else None


def attribute_type(cxx_type: str | None) -> str | None:
    """The type as a saved file writes it: ``0.a_i32``, ``0.a_array<0.a_i64>``, ``1.a_dtype``."""
    if cxx_type is None:
        return None
    if cxx_type == "pir::ArrayAttribute":
        return "0.a_array"
    element = _inner(cxx_type, "pir::ArrayAttribute")
    return f"0.a_array<{_ELEMENT_TYPES[element]}>" if element else _ELEMENT_TYPES[cxx_type]


def value_type(cxx_type: str) -> str:
    element = _inner(cxx_type, "pir::VectorType")
    return f"vector<{_VALUE_TYPES[element]}>" if element else _VALUE_TYPES[cxx_type]


def _flagged(item: dict[str, Any], flags: dict[str, str]) -> str:
    return item["name"] + "".join(mark for flag, mark in flags.items() if item[flag])


def pack_pir(operator: dict[str, Any]) -> list[Any]:
    attributes = [[name, attribute_type(kind)] for name, kind in operator["attributes"]]
    if "inputs" not in operator:
        return [attributes]
    # Three hand-written operators describe fewer attributes than they verify.
    described = {name for name, _ in attributes}
    attributes += [[name, None] for name in operator["declared"] if name not in described]
    operands = [
        [_flagged(item, {"optional": "?", "mutable_attribute": "!"}), value_type(item["type"])]
        for item in operator["inputs"]
    ]
    results = [
        [_flagged(item, {"optional": "?", "intermediate": "~"}), value_type(item["type"])]
        for item in operator["outputs"]
    ]
    return [attributes, operands, results]


def pack_legacy(operator: dict[str, Any]) -> list[Any]:
    if operator.get("described") is False:
        return []
    marks = {"duplicable": "*", "dispensable": "?", "intermediate": "~", "extra": "+"}
    return [
        [
            [_flagged(item, {"extra": "+"}), item["type"], item["default"]]
            for item in sorted(operator["attributes"], key=lambda item: str(item["name"]))
        ],
        [_flagged(item, marks) for item in operator["inputs"]],
        [_flagged(item, marks) for item in operator["outputs"]],
    ]


def deltas(releases: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a release, oldest first: what it lost and what is new or changed in it."""
    steps: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for release, operators in sorted(releases.items(), key=lambda item: Version(item[0])):
        steps.append(
            {
                "release": release,
                "removed": sorted(set(before) - set(operators)),
                "operators": {
                    name: entry
                    for name, entry in sorted(operators.items())
                    if before.get(name) != entry
                },
            }
        )
        before = operators
    return steps


def write(name: str, commits: dict[str, str], releases: dict[str, dict[str, Any]]) -> int:
    content = {
        "source": "registries of the Linux CPU wheels, read by matrix/derive_operators.py",
        "commits": {release: commits[release] for release in releases},
        "releases": deltas(releases),
    }
    text = json.dumps(content, separators=(",", ":")).encode()
    _DATA.mkdir(exist_ok=True)
    (_DATA / f"{name}.json").write_bytes(text)
    print(f"{name}: {len(releases)} releases, {len(text)} bytes")
    return len(text)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", type=Path, help="of the files derive_operators.py wrote")
    directory = parser.parse_args(arguments).directory
    found = [json.loads(path.read_text("utf-8")) for path in directory.glob("*.json")]
    commits = {item["paddle"]: item["commit"] for item in found}
    for name, pack in (("pir", pack_pir), ("legacy", pack_legacy)):
        releases = {
            item["paddle"]: {key: pack(value) for key, value in item[name].items()}
            for item in sorted(found, key=lambda item: Version(item["paddle"]))
            if name in item
        }
        write(name, commits, releases)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
