"""Damage to the JSON of a PIR program, one node at a time: JSON still, and another program."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

from compatload.operators.registry import pir_operators
from tests.attacks import pir_tree as tree
from tests.attacks.fields import FLOATS, INTEGERS, TEXTS

Change = tuple[str, str]
_REGISTRY = "3.3.1"
_ATTRIBUTES = (
    "0.a_bool",
    "0.a_i32",
    "0.a_i64",
    "0.a_f32",
    "0.a_f64",
    "0.a_str",
    "0.a_array",
    "0.a_type",
    "0.a_pointer",
    "0.a_c64",
    "0.a_tensorname",
    "1.a_intarray",
    "1.a_scalar",
    "1.a_dtype",
    "1.a_place",
    "1.a_layout",
    "0.a_none",
)
_TYPES = ("0.t_bool", "0.t_i32", "0.t_i64", "0.t_f32", "0.t_f64", "0.t_f16", "0.t_bf16")
_TYPES += ("0.t_ui8", "0.t_c64", "0.t_f99", "0.t_index", "0.t_vec", "0.t_dtensor", "1.t_sstr")
_TYPES += ("1.t_dtensorarray", "0.t_none", "0.t_undefined", "1.t_srows")
_MOST_NODES = 5000
# What every program stands on.
_SPECIAL = ("1.fetch", "1.data", "1.if", "1.while", "2.yield", "0.combine")


def damage_json(data: bytes, chance: random.Random) -> tuple[str, str, bytes] | None:
    """(what, cause, bytes) of a program with one or two changes; None if nothing could be done."""
    document = json.loads(data)
    changes = []
    for _ in range(2 if chance.random() < 0.08 else 1):
        for _ in range(20):
            change = chance.choices(list(_KINDS), list(_KINDS.values()))[0](document, chance)
            if change is not None:
                changes.append(change)
                break
    if not changes:
        return None
    return (
        "; ".join(what for what, _ in changes),
        " & ".join(cause for _, cause in changes),
        json.dumps(document, separators=(",", ":")).encode(),
    )


def _operator(document: Any, chance: random.Random) -> dict[str, Any] | None:
    found = [ops[place] for ops, place in tree.operators(document) if isinstance(ops[place], dict)]
    if not found:
        return None
    # Each kind of operator as often as another, however many there are of it.
    name = chance.choice(sorted({tree.name_of(one) for one in found}))
    pools = [
        [one for one in found if tree.name_of(one) in _SPECIAL],
        [one for one in found if tree.name_of(one) == "p"],
        [one for one in found if tree.name_of(one) == name],
    ]
    operator: dict[str, Any] = chance.choice(chance.choices(pools, (15, 15, 70))[0] or found)
    return operator


def _attribute(document: Any, chance: random.Random) -> Change | None:
    operator = _operator(document, chance)
    if operator is None or not isinstance(operator.get("A"), list) or not operator["A"]:
        return None
    attributes = operator["A"]
    place = chance.randrange(len(attributes))
    one = attributes[place]
    if not isinstance(one, dict):  # of a parameter: numbers and its name
        attributes[place] = _scalar(one, chance)
        where = f"{tree.name_of(operator)} A[{place}]"
        return f"{where}: {one!r} → {attributes[place]!r:.60}", f"{where} changed"
    where = f"{tree.name_of(operator)} attr {one.get('N')}"
    way = chance.randrange(10)
    if way == 0:
        del attributes[place]
        return f"{where} dropped", f"{where} dropped"
    if way == 1:
        attributes.append(copy.deepcopy(one))
        return f"{where} twice", f"{where} twice"
    if way == 2:
        one["N"] = chance.choice((*(a.get("N") for a in attributes), "renamed", ""))
        return f"{where}: name → {one['N']}", f"{where} renamed"
    if way == 3:
        key = chance.choice(("N", "AT"))
        one.pop(key, None)
        return f"{where} without {key}", f"{where} without {key}"
    value = one.get("AT")
    if not isinstance(value, dict):
        return None
    if way in (4, 5, 6):
        old = value.get("#")
        value["#"] = chance.choice([kind for kind in _ATTRIBUTES if kind != old])
        if way == 6:
            value.pop("D", None)
        told = ", no value" if way == 6 else ""
        return f"{where}: {old} → {value['#']}{told}", f"{where} retyped{told}"
    changed = _change(value, "D", chance)
    return changed and (f"{where}{changed[0]}", f"{where} {changed[1]}")


def _change(holder: Any, key: Any, chance: random.Random) -> Change | None:
    """Change ``holder[key]``, which may be of any kind."""
    if isinstance(holder, dict) and key not in holder:
        return None
    old = holder[key]
    if isinstance(old, dict):
        inner = chance.choice(list(old) or [None])
        return None if inner is None else _change(old, inner, chance)
    if not isinstance(old, list):
        holder[key] = _scalar(old, chance)
        new = holder[key]
        small = isinstance(new, (int, float)) and not isinstance(new, bool)
        kind = "negative" if small and new < 0 else "zero" if small and new == 0 else "other value"
        return f": {old!r:.60} → {new!r:.60}", "huge" if small and new > 99 else kind
    way = chance.randrange(7)
    if not old:
        old.append({"#": "0.a_i64", "D": 1} if chance.random() < 0.5 else 1)
        return ": [] → one element", "given an element"
    if way == 0:
        holder[key] = []
        return f": {old!r:.60} emptied", "emptied"
    place = chance.randrange(len(old))
    if way == 1:
        holder[key] = old[:place] + old[place + 1 :]
        return f": {old!r:.60} without {place}", "shortened"
    if way == 2:
        holder[key] = [*old, copy.deepcopy(old[place])]
        return f": {old!r:.60} with {place} twice", "lengthened"
    if way == 3:
        length = chance.choice((9, 64, 1000))
        holder[key] = [copy.deepcopy(old[place])] * length
        return f": {old!r:.60} → {length} elements", "very long"
    if way == 4 and len(old) > 1:
        old[0], old[-1] = old[-1], old[0]
        return ": ends exchanged", "reordered"
    changed = _change(old, place, chance)
    return changed and (f"[{place}]{changed[0]}", changed[1])


def _scalar(old: Any, chance: random.Random) -> Any:
    if isinstance(old, bool):
        return chance.choice((not old, 0, 1, "true", None))
    if isinstance(old, int):
        return chance.choice([n for n in INTEGERS if n != old])
    if isinstance(old, float):
        return chance.choice([n for n in FLOATS if n == n and abs(n) != float("inf")] + [1e308])
    if isinstance(old, str):
        return chance.choice((*TEXTS, *_TYPES, *_ATTRIBUTES, "int64", "bool", "Undefined"))
    return chance.choice((0, "", [], {}))


def _operand(document: Any, chance: random.Random) -> Change | None:
    operator = _operator(document, chance)
    if operator is None or not isinstance(operator.get("I"), list) or not operator["I"]:
        return None
    operands = operator["I"]
    place = chance.randrange(len(operands))
    where = f"{tree.name_of(operator)} operand {place}"
    way = chance.randrange(10)
    if way == 0:
        del operands[place]
        return f"{where} dropped", f"{where} dropped"
    if way == 1:
        operands.append(copy.deepcopy(operands[place]))
        return f"{where} twice", f"{where} twice"
    if way == 2:
        operator["I"] = []
        return (
            f"{tree.name_of(operator)} without operands",
            f"{tree.name_of(operator)} operands emptied",
        )
    if way == 3 and len(operands) > 1:
        operands[0], operands[-1] = operands[-1], operands[0]
        return (
            f"{tree.name_of(operator)} operands exchanged",
            f"{tree.name_of(operator)} operands exchanged",
        )
    if way in (4, 5):
        operands[place] = {"%": chance.choice((0, 0, 0, -1, 999999, 2**31, 2**63 - 1))}
        told = "absent" if operands[place]["%"] == 0 else "unknown"
        return f"{where} → {operands[place]['%']}", f"{where} {told}"
    value, kind = chance.choice(tree.values(document))
    old, operands[place] = operands[place], {"%": value}
    mine = [one.get("%") for one in tree.results(operator) if isinstance(one, dict)]
    told = "itself" if value in mine else kind
    return f"{where}: {old} → {value}", f"{where} is {told}"


def _result(document: Any, chance: random.Random) -> Change | None:
    operator = _operator(document, chance)
    results = tree.results(operator) if operator is not None else []
    if operator is None or not results:
        return None
    place = chance.randrange(len(results))
    one = results[place]
    where = f"{tree.name_of(operator)} result {place}"
    way = chance.randrange(12)
    if way == 0 and isinstance(operator.get("O"), list):
        del operator["O"][place]
        return f"{where} dropped", f"{where} dropped"
    if way == 1 and isinstance(operator.get("O"), list):
        operator["O"].append({**one, "%": 777777})
        return f"{where} one more", f"{where} one more"
    if not isinstance(one, dict):
        return None
    if way == 2:
        old, one["%"] = one.get("%"), chance.choice((0, -1, 888888, tree.values(document)[0][0]))
        return f"{where}: id {old} → {one['%']}", f"{where} id changed"
    if way == 3:
        key = chance.choice(("TT", "%"))
        one.pop(key, None)
        return f"{where} without {key}", f"{where} without {key}"
    kind = one.get("TT")
    if way == 4 and isinstance(kind, dict):
        one["TT"] = chance.choice(
            ({"#": "0.t_vec", "D": [kind]}, {"#": "0.t_vec", "D": []}, {"#": "1.t_dtensorarray"})
        )
        return f"{where}: a list", f"{where} type a list"
    data = kind.get("D") if isinstance(kind, dict) else None
    if way in (5, 6) and isinstance(kind, dict):
        old, kind["#"] = kind.get("#"), chance.choice(_TYPES)
        return f"{where}: type {old} → {kind['#']}", f"{where} type changed"
    if not isinstance(data, list) or len(data) < 2:
        return None
    if way in (7, 8) and isinstance(data[0], dict):
        old, data[0]["#"] = data[0].get("#"), chance.choice(_TYPES)
        return f"{where}: dtype {old} → {data[0]['#']}", f"{where} dtype changed"
    if way == 9:
        changed = _change(kind, "D", chance)
        return changed and (f"{where} type{changed[0]}", f"{where} type {changed[1]}")
    changed = _change(data, 1, chance)
    return changed and (f"{where} dims{changed[0]}", f"{where} dims {changed[1]}")


def _whole_operator(document: Any, chance: random.Random) -> Change | None:
    found = tree.operators(document)
    if not found:
        return None
    ops, place = chance.choice(found)
    operator = ops[place]
    name = tree.name_of(operator)
    way = chance.randrange(9)
    if way == 0:
        del ops[place]
        return f"{name} {place} dropped", f"{name} dropped"
    if way == 1:
        ops.insert(chance.randrange(len(ops) + 1), copy.deepcopy(operator))
        return f"{name} {place} twice", f"{name} twice"
    if way == 2:
        other = chance.randrange(len(ops))
        ops[place], ops[other] = ops[other], ops[place]
        return f"{name} {place} and {other} change places", f"{name} moved"
    if way == 3:
        target, _ = chance.choice(found)
        target.append(copy.deepcopy(operator))
        return f"{name} {place} also at the end of another block", f"{name} in another block"
    if way in (4, 5):
        operator["#"] = chance.choice(_names())
    elif way == 6:
        here = sorted({tree.name_of(o[p]) for o, p in found})
        operator["#"] = chance.choice(here)
    elif way == 7:
        operator["#"] = chance.choice(_same_arity(operator))
    else:
        unknown = ("1.relu66", "9.relu", "relu", "", "0.a_array", "1.", ".", "1.relu_", "3.my_relu")
        operator["#"] = chance.choice(unknown)
    return f"{name} {place} is {operator['#']}", f"{name} is {operator['#']}"


@cache
def _names() -> list[str]:
    return sorted(tree.short_name(name) for name in pir_operators(_REGISTRY))


def _same_arity(operator: Any) -> list[str]:
    inputs, outputs = len(operator.get("I", ())), len(tree.results(operator))
    return _of_arity(inputs, outputs) or _names()


@cache
def _of_arity(inputs: int, outputs: int) -> list[str]:
    return sorted(
        tree.short_name(name)
        for name, one in pir_operators(_REGISTRY).items()
        if len(one.operands) == inputs and len(one.results) == outputs
    )


def _regions(document: Any, chance: random.Random) -> Change | None:
    holders = [document.get("program", {})]
    holders += [ops[p] for ops, p in tree.operators(document) if ops[p].get("regions")]
    holder = holders[-1] if len(holders) == 1 else chance.choice(holders[1:] + holders[:1])
    regions = holder.get("regions")
    if not regions:
        return None
    name = tree.name_of(holder)
    way = chance.randrange(7)
    if way == 0 and len(regions) > 1:
        regions.reverse()
        return f"{name} regions exchanged", f"{name} regions exchanged"
    if way == 1:
        regions.pop()
        return f"{name} without its last region", f"{name} region dropped"
    if way == 2:
        regions.append(copy.deepcopy(regions[-1]))
        return f"{name} with a region more", f"{name} region twice"
    region = chance.choice(regions)
    if way == 3:
        region["blocks"] = []
        return f"{name} region without blocks", f"{name} region emptied"
    if way == 4:
        region["blocks"] = [*region["blocks"], *copy.deepcopy(region["blocks"])]
        return f"{name} region with its blocks twice", f"{name} block twice"
    if not region["blocks"]:
        return None
    block = chance.choice(region["blocks"])
    if way == 5:
        return _in_block(block, name, chance)
    block["ops"] = block["ops"][:-1]
    return f"{name} block without its last operator", f"{name} terminator dropped"


def _in_block(block: Any, name: str, chance: random.Random) -> Change:
    arguments = block.get("args", [])
    if arguments and chance.random() < 0.5:
        arguments.pop()
        return f"{name} block with an argument less", f"{name} block argument dropped"
    if arguments:
        changed = _change(block, "args", chance)
        if changed:
            return f"{name} block arguments{changed[0]}", f"{name} block argument {changed[1]}"
    block["args"] = [
        *arguments,
        {"%": 666666, "TT": {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [1], "NCHW", [], 0]}},
    ]
    return f"{name} block with an argument more", f"{name} block argument added"


def _keys(document: Any, chance: random.Random) -> Change | None:
    """A key of an operator dropped or emptied: OA, QA, O, I, A, regions, #."""
    operator = _operator(document, chance)
    if operator is None or not operator:
        return None
    key = chance.choice(sorted(operator))
    where = f"{tree.name_of(operator)} {key}"
    way = chance.randrange(4)
    if way < 2:
        del operator[key]
        return f"{where} dropped", f"{where} dropped"
    if way == 2:
        operator[key] = chance.choice(([], {}, None, 0, ""))
        return f"{where} → {operator[key]!r}", f"{where} replaced"
    changed = _change(operator, key, chance)
    return changed and (f"{where}{changed[0]}", f"{where} {changed[1]}")


def _anything(document: Any, chance: random.Random) -> Change | None:
    """Any node, wherever it stands."""
    nodes: list[tuple[Any, Any, str]] = []
    stack: list[tuple[Any, str]] = [(document, "")]
    while stack and len(nodes) < _MOST_NODES:
        node, where = stack.pop()
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            nodes.append((node, key, f"{where}/{key}"))
            if isinstance(value, (dict, list)):
                stack.append((value, f"{where}/{key}"))
    holder, key, where = chance.choice(nodes)
    kind = "/".join(part for part in where.split("/") if not part.isdigit())[-30:]
    if chance.random() < 0.3:
        del holder[key]
        return f"{where} dropped", f"node {kind} dropped"
    changed = _change(holder, key, chance)
    return changed and (f"{where}{changed[0]}", f"node {kind} {changed[1]}")


_KINDS: dict[Callable[[Any, random.Random], Change | None], int] = {
    _attribute: 26,
    _operand: 18,
    _result: 16,
    _whole_operator: 14,
    _regions: 5,
    _keys: 13,
    _anything: 8,
}
