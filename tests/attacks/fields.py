"""Damage to the protobuf message of a legacy program, one field at a time.

Walks the descriptors, so a field of a later release needs nothing here. What comes out is always
a message that decodes; what it says is another matter.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

from compatload.artifact import program_desc
from compatload.artifact.program_proto import ATTR_FIELDS, ATTR_TYPES
from compatload.operators.registry import legacy_operators

INTEGERS = (-1, 0, 1, -2, 2, 7, 2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1, -(2**63))
FLOATS = (float("nan"), float("inf"), float("-inf"), 0.0, -1.0, 1e38, 0.5)
TEXTS = ("", "x", "no_such_name", "a" * 5000, "../../../x", "NCHW", "\x00", "float32")
_REGISTRY = "3.3.1"
# Names and notes that say nothing about what is computed.
_NOTES = ("op_callstack", "op_device", "op_namescope", "op_role", "op_role_var", "with_quant_attr")

Change = tuple[str, str]  # what was done, and its cause
_INTEGER_TYPES = {"int32": 31, "int64": 63}


def damage_program(data: bytes, chance: random.Random) -> tuple[str, str, bytes] | None:
    """(what, cause, bytes) of a program with one or two changes; None if nothing could be done."""
    program = program_desc.parse(data)
    changes = []
    for _ in range(2 if chance.random() < 0.08 else 1):
        for _ in range(20):
            change = chance.choices(list(_KINDS), list(_KINDS.values()))[0](program, chance)
            if change is not None:
                changes.append(change)
                break
    if not changes:
        return None
    return (
        "; ".join(what for what, _ in changes),
        " & ".join(cause for _, cause in changes),
        program.SerializePartialToString(),
    )


def _operator(program: Any, chance: random.Random) -> Any | None:
    block = chance.choice(list(program.blocks) or [None])
    if block is None or not block.ops:
        return None
    # Feeds and fetches, and the operators around control flow, have more than their share.
    special = [o for o in block.ops if o.type in ("feed", "fetch", "while", "conditional_block")]
    if special and chance.random() < 0.15:
        return chance.choice(special)
    # Each kind of operator as often as another, however many there are of it.
    name = chance.choice(sorted({one.type for one in block.ops}))
    return chance.choice([one for one in block.ops if one.type == name])


def _attribute(program: Any, chance: random.Random) -> Change | None:
    operator = _operator(program, chance)
    if operator is None or not operator.attrs:
        return None
    kept = [one for one in operator.attrs if one.name not in _NOTES]
    attribute = chance.choice(kept if kept and chance.random() < 0.95 else list(operator.attrs))
    where = f"{operator.type} attr {attribute.name}"
    way = chance.randrange(10)
    if way == 0:
        operator.attrs.remove(attribute)
        return f"{where} dropped", f"{where} dropped"
    if way == 1:
        operator.attrs.add().CopyFrom(attribute)
        _change_field(program, operator.attrs[-1], _value_field(attribute), chance)
        return f"{where} twice", f"{where} twice"
    if way in (2, 3):
        return _retyped(attribute, where, keep=way == 2, chance=chance)
    if way == 4:
        other = chance.choice(list(operator.attrs))
        old, name = attribute.name, other.name if chance.random() < 0.5 else "renamed"
        attribute.name = name
        return f"{where}: name → {name}", f"{operator.type} attr {old} renamed"
    if way == 5:
        donor = _operator(program, chance)
        if donor is None or not donor.attrs:
            return None
        operator.attrs.add().CopyFrom(chance.choice(list(donor.attrs)))
        return f"{operator.type} given {operator.attrs[-1].name}", f"{operator.type} attr added"
    changed = _change_field(program, attribute, _value_field(attribute), chance)
    return changed and (f"{where}{changed[0]}", f"{where} {changed[1]}")


def _value_field(attribute: Any) -> str:
    name = next((name for name, number in ATTR_TYPES.items() if number == attribute.type), "INT")
    return ATTR_FIELDS[name]


def _retyped(attribute: Any, where: str, *, keep: bool, chance: random.Random) -> Change:
    names = list(ATTR_TYPES)
    old = next((name for name in names if ATTR_TYPES[name] == attribute.type), "?")
    new = chance.choice([name for name in names if name != old])
    value = getattr(attribute, _value_field(attribute))
    value = list(value) if hasattr(value, "extend") else value
    attribute.type = ATTR_TYPES[new]
    if keep and not hasattr(value, "DESCRIPTOR"):
        attribute.ClearField(ATTR_FIELDS.get(old, "i"))
        assign(attribute, ATTR_FIELDS[new], value)
    what = f"{where}: {old} → {new}, value {'moved' if keep else 'left'}"
    return what, f"{where} retyped"


def assign(message: Any, name: str, value: Any) -> None:
    """As much of ``value`` as the field can hold."""
    many = not isinstance(value, (str, bytes, int, float, bool))
    values = list(value) if many else [value]
    target = getattr(message, name)
    try:
        if hasattr(target, "extend"):
            target.extend(values)
        elif values:
            setattr(message, name, values[0])
    except (AttributeError, TypeError, ValueError):
        pass  # an empty value of the new type is a case as well


def _slot(program: Any, chance: random.Random) -> Change | None:
    operator = _operator(program, chance)
    if operator is None:
        return None
    side = chance.choice(("inputs", "outputs"))
    slots = getattr(operator, side)
    if not slots:
        return None
    slot = chance.choice(list(slots))
    where = f"{operator.type} {side[:-1]} {slot.parameter}"
    way = chance.randrange(10)
    if way == 0:
        slots.remove(slot)
        return f"{where} dropped", f"{where} dropped"
    if way == 1:
        del slot.arguments[:]
        return f"{where} emptied", f"{where} emptied"
    if way == 2 and slot.arguments:
        slot.arguments.append(slot.arguments[0])
        return f"{where} argument twice", f"{where} argument twice"
    if way == 3:
        slots.add().CopyFrom(slot)
        return f"{where} twice", f"{where} twice"
    if way == 4:
        other = chance.choice(list(slots))
        slot.parameter, other.parameter = other.parameter, slot.parameter
        return f"{where} exchanged with {other.parameter}", f"{where} exchanged"
    if way == 5:
        old, slot.parameter = slot.parameter, chance.choice(("X", "Y", "Input", "renamed", ""))
        return f"{where}: name → {slot.parameter}", f"{where} renamed"
    if not slot.arguments:
        return None
    place = chance.randrange(len(slot.arguments))
    old = slot.arguments[place]
    name, kind = _name(program, chance)
    slot.arguments[place] = name
    return f"{where}: {old} → {name[:60]!r}", f"{where} is {kind}"


def _name(program: Any, chance: random.Random) -> tuple[str, str]:
    """The name of a variable of this program, or none; and what kind of variable it is."""
    if chance.random() < 0.1:
        return chance.choice(TEXTS), "no variable"
    variables = [one for block in program.blocks for one in block.vars]
    if not variables:
        return "x", "no variable"
    one = chance.choice(variables)
    if one.name in ("feed", "fetch"):
        return one.name, "feed or fetch"
    return one.name, "a parameter" if one.persistable else "another variable"


def _whole_operator(program: Any, chance: random.Random) -> Change | None:
    operator = _operator(program, chance)
    if operator is None:
        return None
    block = next(one for one in program.blocks if any(o is operator for o in one.ops))
    place = next(i for i, o in enumerate(block.ops) if o is operator)
    way = chance.randrange(8)
    kind = operator.type
    if way == 0:
        del block.ops[place]
        return f"{kind} {place} dropped", f"{kind} dropped"
    if way == 1:
        block.ops.add().CopyFrom(operator)
        return f"{kind} {place} again at the end", f"{kind} twice"
    if way == 2:
        other = chance.randrange(len(block.ops))
        first = block.ops[place].SerializePartialToString()
        second = block.ops[other].SerializePartialToString()
        other_kind = block.ops[other].type
        _reread(block.ops[place], second)
        _reread(block.ops[other], first)
        return f"{kind} {place} and {other_kind} {other} change places", f"{kind} moved"
    if way == 3:
        operator.ClearField("type")
        return f"{kind} {place}: no type", f"{kind} without type"
    if way == 4:
        target = chance.choice(list(program.blocks))
        moved = target.ops.add()
        moved.CopyFrom(operator)
        return f"{kind} {place} also in block {target.idx}", f"{kind} in another block"
    if way in (5, 6):
        operator.type = chance.choice(_operators())
        return f"{kind} {place} is {operator.type}", f"{kind} is {operator.type}"
    others = sorted({one.type for each in program.blocks for one in each.ops})
    operator.type = chance.choice([*others, "relu66", ""])
    return f"{kind} {place} is {operator.type}", f"{kind} is {operator.type}"


def _reread(message: Any, data: bytes) -> None:
    message.Clear()
    message.MergeFromString(data)


@cache
def _operators() -> list[str]:
    return sorted(legacy_operators(_REGISTRY))


def _variable(program: Any, chance: random.Random) -> Change | None:
    block = chance.choice(list(program.blocks) or [None])
    if block is None or not block.vars:
        return None
    one = chance.choice(list(block.vars))
    kept = "parameter" if one.persistable else "variable"
    way = chance.randrange(12)
    if way == 0:
        block.vars.remove(one)
        return f"{kept} {one.name} dropped", f"{kept} dropped"
    if way == 1:
        old, (one.name, kind) = one.name, _name(program, chance)
        return f"{kept} {old}: name → {one.name[:60]!r}", f"{kept} renamed to {kind}"
    if way == 2:
        block.vars.add().CopyFrom(one)
        return f"{kept} {one.name} twice", f"{kept} twice"
    if way == 3:
        one.persistable = not one.persistable
        return f"{kept} {one.name}: persistable → {one.persistable}", f"{kept} persistable flipped"
    if way == 4:
        old, one.type.type = one.type.type, chance.choice((*range(33), 99, -1))
        return f"{kept} {one.name}: kind {old} → {one.type.type}", f"{kept} kind changed"
    if way == 5:
        one.type.ClearField(chance.choice(("dense_tensor", "type", "tensor_array")))
        return f"{kept} {one.name}: description dropped", f"{kept} description dropped"
    tensor = one.type.dense_tensor.tensor
    if way in (6, 7):
        old, tensor.data_type = tensor.data_type, chance.choice((*range(33), 99, -1))
        what = f"{kept} {one.name}: dtype {old} → {tensor.data_type}"
        return what, f"{kept} dtype changed"
    changed = _change_field(program, tensor, "dims", chance)
    return changed and (f"{kept} {one.name}: dims{changed[0]}", f"{kept} dims {changed[1]}")


def _block(program: Any, chance: random.Random) -> Change | None:
    if not program.blocks:
        return None
    block = chance.choice(list(program.blocks))
    way = chance.randrange(6)
    if way < 3:
        name = chance.choice(("idx", "parent_idx", "forward_block_idx"))
        old = getattr(block, name)
        new = chance.choice((*range(len(program.blocks)), -1, 99, 2**31 - 1, -(2**31)))
        setattr(block, name, new)
        return f"block {name} {old} → {new}", f"block {name} changed"
    if way == 3:
        program.blocks.add().CopyFrom(block)
        return f"block {block.idx} twice", "block twice"
    if way == 4:
        del block.ops[:]
        return f"block {block.idx} without operators", "block without operators"
    program.blocks.remove(block)
    return f"block {block.idx} dropped", "block dropped"


def _anything(program: Any, chance: random.Random) -> Change | None:
    """Any field of any message, wherever it stands."""
    message, where = program, "program"
    while True:
        fields = list(message.DESCRIPTOR.fields)
        field = chance.choice(fields)
        deeper = _deeper(message, field, chance)
        if deeper is None or chance.random() < 0.2:
            changed = _change_field(program, message, field.name, chance)
            return changed and (
                f"{where}.{field.name}{changed[0]}",
                f"{message.DESCRIPTOR.name}.{field.name} {changed[1]}",
            )
        message, where = deeper, f"{where}.{field.name}"


def _deeper(message: Any, field: Any, chance: random.Random) -> Any | None:
    if field.message_type is None:
        return None
    value = getattr(message, field.name)
    if hasattr(value, "add"):
        return chance.choice(list(value)) if value else None
    return value if message.HasField(field.name) else None


def _change_field(program: Any, message: Any, name: str, chance: random.Random) -> Change | None:
    """(old → new, kind of change) of one field, which may be a list."""
    field = message.DESCRIPTOR.fields_by_name[name]
    value = getattr(message, name)
    if not (hasattr(value, "extend") and not isinstance(value, (str, bytes))):
        if field.message_type is not None or chance.random() < 0.15:
            message.ClearField(name)
            return " cleared", "cleared"
        new, kind = _scalar(program, field, value, chance)
        setattr(message, name, new)
        return f": {value!r:.60} → {new!r:.60}", kind
    old = list(value) if field.message_type is None else len(value)
    way = chance.randrange(7)
    if way == 0 or not len(value):
        if not len(value) and field.message_type is None:
            value.append(_scalar(program, field, 0, chance)[0])
            return f": [] → {list(value)}", "given an element"
        message.ClearField(name)
        return f": {old!r:.60} emptied", "emptied"
    place = chance.randrange(len(value))
    if way == 1:
        del value[place]
        return f": {old!r:.60} without {place}", "shortened"
    if way == 2:
        if field.message_type is not None:
            value.add().CopyFrom(value[place])
        else:
            value.append(value[place])
        return f": {old!r:.60} with {place} twice", "lengthened"
    if field.message_type is not None:
        del value[place]
        return f": without {place}", "shortened"
    if way == 3 and len(value) > 1:
        value[0], value[-1] = value[-1], value[0]
        return f": {old!r:.60} ends exchanged", "reordered"
    if way == 4:
        length = chance.choice((9, 64, 5000))
        message.ClearField(name)
        getattr(message, name).extend([old[place]] * length)
        return f": {old!r:.60} → {length} elements", "very long"
    new, kind = _scalar(program, field, value[place], chance)
    value[place] = new
    return f": {old!r:.60}[{place}] → {new!r:.60}", kind


def _scalar(program: Any, field: Any, old: Any, chance: random.Random) -> tuple[Any, str]:
    kind = _kind_of(field)
    if kind in _INTEGER_TYPES:
        bits = _INTEGER_TYPES[kind]
        new = chance.choice([n for n in INTEGERS if -(2**bits) <= n < 2**bits and n != old])
        told = "negative" if new < 0 else "zero" if new == 0 else "huge" if new > 99 else "other"
        return new, told
    if kind in ("float", "double"):
        return chance.choice(FLOATS), "other number"
    if kind == "bool":
        return not old, "flipped"
    text = chance.choice((_name(program, chance)[0], *TEXTS))
    return (text.encode() if kind == "bytes" else text), "other text"


@cache
def _kinds() -> dict[int, str]:
    from google.protobuf.descriptor import FieldDescriptor as Descriptor

    names = ("int32", "int64", "float", "double", "bool", "string", "bytes", "message")
    return {getattr(Descriptor, f"TYPE_{name.upper()}"): name for name in names}


def _kind_of(field: Any) -> str:
    return _kinds()[field.type]


_KINDS: dict[Callable[[Any, random.Random], Change | None], int] = {
    _attribute: 30,
    _slot: 26,
    _whole_operator: 12,
    _variable: 18,
    _block: 4,
    _anything: 10,
}
