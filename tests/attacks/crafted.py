"""Programs that hold an operator which reaches outside: files, sockets, Python, other processes.

For every such operator of every release: in both formats where it exists, at top level, in a
sub-block and in a second method, with slots and attributes as the registry has them. Where an
attribute names a file, it is one that must not appear.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from compatload.artifact import program_desc
from compatload.artifact.program_proto import ATTR_TYPES
from compatload.operators.effects import Effect, effect_of, harmless_values
from compatload.operators.registry import (
    LegacyOperator,
    PirAttribute,
    PirOperator,
    known_releases,
    legacy_operators,
    pir_operators,
)
from tests.attacks.cases import SAVERS
from tests.attacks.damage import Case, Model, read_model
from tests.attacks.fields import assign
from tests.attacks.pir_tree import short_name
from tests.fixtures.index import fixture

PLACES = ("top", "sub-block", "method")
_HOLDERS = {"top": "two_methods", "sub-block": "if_else", "method": "two_methods"}
_TENSOR = {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [-1], "NCHW", [], 0]}
# Attributes that lead outside, by their names.
_FILES = ("file_path", "filename", "path", "dirname", "refit_params_path", "save_path")
_ADDRESSES = ("endpoint", "endpoints", "epmap", "trainer_endpoints", "other_endpoints")
_ADDRESS = "127.0.0.1:46164"
_NOTES = ("op_callstack", "op_device", "op_namescope", "op_role", "op_role_var", "with_quant_attr")


@dataclass(frozen=True)
class Crafted:
    """One program of the corpus. ``format``: ``legacy`` or ``pir``."""

    format: str
    operator: str
    place: str

    @property
    def identity(self) -> str:
        return f"{self.format}/{self.operator}/{self.place}"


def corpus() -> Iterator[Crafted]:
    """Every entry: one operator, in one format, at one place."""
    for kind, names in outside().items():
        for name in names:
            for place in PLACES:
                yield Crafted(kind, name, place)


@cache
def outside() -> dict[str, tuple[str, ...]]:
    """Format → the operators of any release that reach outside, if only by an attribute."""
    names = {
        "legacy": {name for one in known_releases("legacy") for name in legacy_operators(one)},
        "pir": {name for one in known_releases("pir") for name in pir_operators(one)},
    }
    return {
        kind: tuple(
            name
            for name in sorted(known)
            if effect_of(name) is Effect.OUTSIDE or harmless_values(name)
        )
        for kind, known in names.items()
    }


def make(entry: Crafted, target: str) -> Case:
    """The model that holds the operator; files that it names lie in the folder ``target``."""
    saver = SAVERS[0] if entry.format == "legacy" else SAVERS[-1]
    one = fixture(f"{saver}/{_HOLDERS[entry.place]}")
    model = read_model(one.folder, str(one.record["prefix"]))
    name = _program(model, entry.place)
    plant = _plant_legacy if entry.format == "legacy" else _plant_pir
    path = f"{target}/written"
    data = plant(model.files[name], entry.operator, entry.place == "sub-block", path)
    files = {**model.files, name: data}
    what = f"{entry.operator} in {entry.place}"
    return Case(0, model.name, model.prefix, what, files, True, f"crafted {entry.identity}")


def _program(model: Model, place: str) -> str:
    names = [name for name in model.files if name.endswith((".pdmodel", ".json"))]
    names.sort(key=len)
    return names[-1] if place == "method" else names[0]


def _newest(kind: str, name: str) -> Any:
    """The operator in the newest release that has it."""
    for release in reversed(known_releases(kind)):
        table: Any = (legacy_operators if kind == "legacy" else pir_operators)(release)
        if name in table:
            return table[name]
    return (LegacyOperator if kind == "legacy" else PirOperator)(name, attributes=())


# Legacy programs.


def _plant_legacy(data: bytes, name: str, inside: bool, path: str) -> bytes:
    program = program_desc.parse(data)
    described: LegacyOperator = _newest("legacy", name)
    block = program.blocks[1] if inside else program.blocks[0]
    given = next(v.name for v in program.blocks[0].vars if v.persistable and v.name not in _LISTS)
    made = copy.deepcopy(block.ops[0])
    made.Clear()
    made.type = name
    for slot in described.inputs:
        if not slot.dispensable:
            made.inputs.add(parameter=slot.name).arguments.append(given)
    for number, slot in enumerate(described.outputs):
        if not slot.dispensable:
            result = f"crafted_{number}"
            made.outputs.add(parameter=slot.name).arguments.append(result)
            _declare(block, result)
    for attribute in described.attributes:
        if attribute.name not in _NOTES:
            _add_attribute(program, made, attribute, path, harmless_values(name))
    _insert(block.ops, made, _place(block))
    return bytes(program.SerializePartialToString())


_LISTS = ("feed", "fetch")


def _place(block: Any) -> int:
    """Behind the feeds."""
    return next((i for i, one in enumerate(block.ops) if one.type != "feed"), len(block.ops))


def _insert(operators: Any, made: Any, place: int) -> None:
    every = [copy.deepcopy(one) for one in operators]
    del operators[:]
    operators.extend([*every[:place], made, *every[place:]])


def _declare(block: Any, name: str) -> None:
    variable = block.vars.add(name=name)
    variable.type.type = 7
    variable.type.dense_tensor.tensor.data_type = 5
    variable.type.dense_tensor.tensor.dims.append(-1)


def _add_attribute(
    program: Any, made: Any, described: Any, path: str, harmless: Mapping[str, object]
) -> None:
    # Attributes beside an operator's own have no type in the registries: lists of addresses.
    kind = described.type or ("STRINGS" if described.name in harmless else None)
    if kind is None:
        return
    attribute = made.attrs.add(name=described.name, type=ATTR_TYPES[kind])
    if kind in ("BLOCK", "BLOCKS"):
        new = program.blocks.add(idx=len(program.blocks), parent_idx=0)
        new.idx = len(program.blocks) - 1
        value: Any = new.idx if kind == "BLOCK" else [new.idx]
        made_field = "block_idx" if kind == "BLOCK" else "blocks_idx"
        assign(attribute, made_field, value)
        return
    field = {"INT": "i", "FLOAT": "f", "STRING": "s", "BOOLEAN": "b", "LONG": "l"}.get(kind)
    field = field or {"FLOAT64": "float64"}.get(kind, kind.lower().replace("booleans", "bools"))
    value = _told(described.name, path, described.default, harmless)
    if value is None:
        value = b"" if kind == "STRING" else [] if field.endswith("s") and field != "s" else 0
    if kind in ("STRING", "STRINGS"):
        many = [value] if isinstance(value, (str, bytes)) else list(value)
        encoded = [one.encode() if isinstance(one, str) else one for one in many]
        value = encoded if kind == "STRINGS" else encoded[0]
    assign(attribute, field, value)


def _told(name: str, path: str, otherwise: object, harmless: Mapping[str, object]) -> Any:
    if name in harmless:
        return _harmful(harmless[name])
    if name in _FILES:
        return path
    if name in _ADDRESSES:
        return _ADDRESS
    return True if name == "overwrite" else otherwise


def _harmful(harmless: object) -> Any:
    """Another value than the one with which an operator stays inside."""
    if isinstance(harmless, bool):
        return not harmless
    return harmless + 1 if isinstance(harmless, int) else [_ADDRESS]


# PIR programs.


def _plant_pir(data: bytes, name: str, inside: bool, path: str) -> bytes:
    document = json.loads(data)
    top = document["program"]["regions"][0]["blocks"][0]["ops"]
    operators = top
    if inside:
        holder = next(one for one in top if one.get("regions"))
        operators = holder["regions"][0]["blocks"][0]["ops"]
    given = next(one["O"] for one in top if one["#"] == "p")
    described: PirOperator = _newest("pir", name)
    planted = _pir_operators(described, given, path)
    start = 0 if inside else next(i for i, one in enumerate(top) if one["#"] != "p")
    operators[start:start] = planted
    return json.dumps(document, separators=(",", ":")).encode()


def _pir_operators(described: PirOperator, given: Any, path: str) -> list[dict[str, Any]]:
    """The operator, behind the one that makes a list of values where it takes a list."""
    made: list[dict[str, Any]] = []
    operands = []
    for operand in described.operands:
        if operand.optional:
            operands.append({"%": 0})
        elif operand.type == "vector<dense>":
            result = {"%": 900_000 + len(made), "TT": {"#": "0.t_vec", "D": [given["TT"]]}}
            made.append(_pir("0.combine", [], [{"%": given["%"]}], [result]))
            operands.append({"%": result["%"]})
        else:
            operands.append({"%": given["%"]})
    results = []
    for number, one in enumerate(described.results):
        kind = {"#": "0.t_vec", "D": [_TENSOR]} if one.type.startswith("vector") else _TENSOR
        kind = {"#": "NULL"} if one.optional and not one.intermediate else kind
        results.append({"%": 910_000 + number, "TT": kind})
    attributes = [
        {"AT": _pir_value(one, path, harmless_values(described.name)), "N": one.name}
        for one in described.attributes
    ]
    return [*made, _pir(short_name(described.name), attributes, operands, results)]


def _pir(name: str, attributes: list[Any], operands: list[Any], results: list[Any]) -> Any:
    stop = {"#": "0.a_array", "D": [{"#": "0.a_bool", "D": True}] * len(results)}
    own = [{"AT": stop, "N": "stop_gradient"}] if results else []
    return {"#": name, "A": attributes, "I": operands, "O": results, "OA": own}


def _pir_value(
    described: PirAttribute, path: str, harmless: Mapping[str, object]
) -> dict[str, Any]:
    kind, told = described.type, _told(described.name, path, None, harmless)
    whole = told if isinstance(told, int) else 0
    values: dict[str, Any] = {
        "0.a_bool": bool(told),
        "0.a_i32": whole,
        "0.a_i64": whole,
        "0.a_f32": 0.0,
        "0.a_f64": 0.0,
        "0.a_str": told if isinstance(told, str) else "",
        "1.a_intarray": [1],
        "1.a_dtype": "float32",
        "1.a_place": [1, 0, ""],
    }
    if kind in values:
        return {"#": kind, "D": values[kind]}
    if kind == "scalar":
        return {"#": "0.a_f64", "D": 0.0}
    listed = told if isinstance(told, list) else []
    return {"#": "0.a_array", "D": [{"#": "0.a_str", "D": one} for one in listed]}
