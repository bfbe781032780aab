"""Programs that hold an operator which reaches outside: files, sockets, Python, other processes.

For every such operator of every release: in both formats where it exists, at top level, in a
sub-block and in a second method, with slots and attributes as the registry has them. Where an
attribute names a file, it is one that must not appear.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from compatload.artifact import program_desc
from compatload.artifact.program_proto import ATTR_TYPES
from compatload.operators.registry import (
    LegacyOperator,
    PirOperator,
    known_releases,
    legacy_operators,
    pir_operators,
)
from tests.attacks.cases import SAVERS
from tests.attacks.damage import Case, Model, read_model
from tests.attacks.fields import assign
from tests.attacks.nodes import short_name
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
    """Format → the operators of any release that reach outside, as the table of effects says."""
    table = resources.files("compatload.operators") / "data" / "effects.json"
    if not table.is_file():
        return _OUTSIDE
    told = json.loads(table.read_bytes())
    return {
        kind: tuple(sorted(name for name, effect in told[kind].items() if effect == "outside"))
        for kind in ("legacy", "pir")
    }


# Until there is a table of effects.
_LEGACY = (
    "all_gather all_reduce all_to_all barrier broadcast c_allgather c_allreduce_max "
    "c_allreduce_min c_allreduce_prod c_allreduce_sum c_broadcast c_comm_init "
    "c_comm_init_all c_comm_init_multitrainer c_concat c_gen_xccl_id c_reduce_max "
    "c_reduce_min c_reduce_prod c_reduce_sum c_reducescatter c_scatter c_split "
    "c_sync_calc_stream c_sync_comm_stream c_wait_comm c_wait_compute comm_init_all "
    "create_double_buffer_reader create_py_reader dequeue dist_concat "
    "distributed_lookup_table distributed_push_sparse enqueue fetch_barrier global_gather "
    "global_scatter heter_listen_and_serv listen_and_serv load load_combine "
    "mp_allreduce_sum openvino_engine p_recv p_recv_array p_send p_send_array "
    "partial_allgather partial_recv partial_send pull_box_extended_sparse pull_box_sparse "
    "pull_gpups_sparse pull_sparse pull_sparse_v2 push_box_extended_sparse push_box_sparse "
    "push_dense push_gpups_sparse push_sparse push_sparse_v2 py_func queue_generator read "
    "read_file recv_v2 reduce_scatter run_program save save_combine send send_and_recv "
    "send_barrier send_v2"
)
_PIR = (
    "pd_op.all_gather pd_op.all_reduce pd_op.all_to_all pd_op.barrier pd_op.broadcast "
    "pd_op.c_allreduce_sum pd_op.comm_init_all pd_op.distributed_lookup_table "
    "pd_op.distributed_push_sparse pd_op.global_gather pd_op.global_scatter "
    "pd_op.load_combine pd_op.mp_allreduce_sum pd_op.partial_allgather pd_op.partial_recv "
    "pd_op.partial_send pd_op.pull_box_sparse pd_op.pull_gpups_sparse pd_op.pull_sparse_v2 "
    "pd_op.push_box_sparse pd_op.push_dense pd_op.push_gpups_sparse pd_op.push_sparse_v2 "
    "pd_op.read_file pd_op.recv_v2 pd_op.reduce_scatter pd_op.save_combine "
    "pd_op.send_and_recv pd_op.send_v2 pd_op.tensorrt_engine"
)
_OUTSIDE = {"legacy": tuple(_LEGACY.split()), "pir": tuple(_PIR.split())}


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
            _add_attribute(program, made, attribute, path)
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


def _add_attribute(program: Any, made: Any, described: Any, path: str) -> None:
    kind = described.type
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
    value = _told(described.name, path, described.default)
    if value is None:
        value = b"" if kind == "STRING" else [] if field.endswith("s") and field != "s" else 0
    if kind in ("STRING", "STRINGS"):
        many = [value] if isinstance(value, (str, bytes)) else list(value)
        encoded = [one.encode() if isinstance(one, str) else one for one in many]
        value = encoded if kind == "STRINGS" else encoded[0]
    assign(attribute, field, value)


def _told(name: str, path: str, otherwise: object) -> Any:
    if name in _FILES:
        return path
    if name in _ADDRESSES:
        return _ADDRESS
    return True if name == "overwrite" else otherwise


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
        {"AT": _pir_value(one.name, one.type, path), "N": one.name} for one in described.attributes
    ]
    return [*made, _pir(short_name(described.name), attributes, operands, results)]


def _pir(name: str, attributes: list[Any], operands: list[Any], results: list[Any]) -> Any:
    stop = {"#": "0.a_array", "D": [{"#": "0.a_bool", "D": True}] * len(results)}
    own = [{"AT": stop, "N": "stop_gradient"}] if results else []
    return {"#": name, "A": attributes, "I": operands, "O": results, "OA": own}


def _pir_value(name: str, kind: str | None, path: str) -> dict[str, Any]:
    told = _told(name, path, None)
    values: dict[str, Any] = {
        "0.a_bool": bool(told),
        "0.a_i32": 0,
        "0.a_i64": 0,
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
    return {"#": "0.a_array", "D": []}
