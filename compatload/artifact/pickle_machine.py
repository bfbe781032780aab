"""A pickle machine that builds plain data and inert records; it imports and calls nothing.

Only the opcodes that Paddle's writers emit (protocols 2 to 5, Python 2's strings included) are
known. The rest — INST, OBJ, EXT, PERSID, the text opcodes of protocol 0 — is refused by name.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from compatload.frozen import frozen


@frozen
class Name:
    """A global that the pickle asks for, inert."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(eq=False)
class Call:
    """What calling a global would have made, inert; ``state`` is what BUILD would have set."""

    name: Name
    arguments: object
    state: object = None


class RefusedError(Exception):
    """The pickle does something that is not allowed; the argument says what."""


class BrokenError(Exception):
    """The pickle is damaged; the argument says how."""


@frozen
class Policy:
    """What a pickle may do.

    ``calls`` maps a global to the function that checks its arguments and gives the value that
    stands for the result; ``names`` are globals that may be mentioned but not called; ``states``
    checks what BUILD sets. ``trusted`` globals may be used in any way.
    """

    calls: Mapping[Name, Callable[[Any], object]]
    names: frozenset[Name]
    states: Mapping[Name, Callable[[Any], None]]
    trusted: frozenset[str]

    def allows(self, name: Name) -> bool:
        return name in self.calls or name in self.names or self.trusts(name)

    def trusts(self, name: Name) -> bool:
        return str(name) in self.trusted


_U16, _I32, _U32, _U64 = (struct.Struct(layout) for layout in ("<H", "<i", "<I", "<Q"))
_F64 = struct.Struct(">d")
_MAX_INTEGER_BYTES = 16
_KEYS = frozenset((str, int, bytes, bool))


class Machine:
    """Runs one pickle; ``globals`` lists what it asked for."""

    def __init__(self, data: bytes, policy: Policy) -> None:
        self.data = data
        self.policy = policy
        self.position = 0
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.globals: list[str] = []

    def run(self) -> object:
        """The value of the pickle.

        Raises:
            RefusedError: it does what the policy does not allow.
            BrokenError: it is no complete pickle.
        """
        data, operations = self.data, OPERATIONS
        while self.position < len(data):
            self.plain_values()
            code = self.byte()
            if code == _STOP:
                return self.finish()
            operation = operations.get(code)
            if operation is None:
                raise self.unknown(code)
            operation(self)
        raise BrokenError("it is cut short")

    def plain_values(self) -> None:
        """Take strings, truth values, new dicts, marks, and what is remembered or recalled, up to
        another opcode.

        Nine in ten opcodes of a ``.pdiparams.info`` are these: a call for each would be felt.
        """
        data, stack, memo, position = self.data, self.stack, self.memo, self.position
        last = len(data) - 5  # the longest of these opcodes, without its text
        while position < last:
            code = data[position]
            if code == _BINUNICODE:
                start = position + 5
                end = start + int.from_bytes(data[position + 1 : start], "little")
                if end > len(data):
                    break  # the general way says what is wrong
                stack.append(data[start:end].decode("utf-8"))
                position = end
            elif code == _BINGET and data[position + 1] in memo:
                stack.append(memo[data[position + 1]])
                position += 2
            elif stack and code in _MEMO_WRITERS:
                length, of_count = _MEMO_WRITERS[code]
                end = position + 1 + length
                key = len(memo) if of_count else int.from_bytes(data[position + 1 : end], "little")
                memo[key] = stack[-1]
                position = end
            elif code in _CONSTANTS:
                stack.append(_CONSTANTS[code])
                position += 1
            elif code == _SHORT_BINUNICODE:
                start = position + 2
                end = start + data[position + 1]
                if end > len(data):
                    break
                stack.append(data[start:end].decode("utf-8"))
                position = end
            elif code == _EMPTY_DICT:
                stack.append({})
                position += 1
            elif code == _MARK:
                self.push_mark()
                stack = self.stack
                position += 1
            else:
                break
        self.position = position

    def finish(self) -> object:
        if self.position != len(self.data):
            raise BrokenError(f"{len(self.data) - self.position} bytes follow its end")
        if self.marks or len(self.stack) != 1:
            raise BrokenError("it ends in the middle of a value")
        return self.stack[0]

    @staticmethod
    def unknown(code: int) -> Exception:
        for opcode in pickletools.opcodes:
            if opcode.code == chr(code):
                return RefusedError(f"it uses the opcode {opcode.name}, which Paddle never writes")
        return BrokenError(f"the byte {code:#04x} is no opcode")

    # Reading.

    def take(self, length: int) -> bytes:
        end = self.position + length
        if length < 0 or end > len(self.data):
            raise BrokenError("it is cut short")
        piece = self.data[self.position : end]
        self.position = end
        return piece

    def byte(self) -> int:
        if self.position >= len(self.data):
            raise BrokenError("it is cut short")
        self.position += 1
        return self.data[self.position - 1]

    def unpack(self, layout: struct.Struct) -> Any:
        return layout.unpack(self.take(layout.size))[0]

    def text(self, length: int) -> None:
        self.stack.append(self.take(length).decode("utf-8"))

    def line(self) -> str:
        end = self.data.find(b"\n", self.position)
        if end < 0:
            raise BrokenError("it is cut short")
        piece = self.take(end - self.position)
        self.position += 1
        return piece.decode("utf-8")

    # The stack.

    def pop(self) -> Any:
        if not self.stack:
            raise BrokenError("it takes a value that is not there")
        return self.stack.pop()

    def top(self) -> Any:
        if not self.stack:
            raise BrokenError("it takes a value that is not there")
        return self.stack[-1]

    def pop_mark(self) -> list[Any]:
        if not self.marks:
            raise BrokenError("it closes what it never opened")
        items = self.stack
        self.stack = self.marks.pop()
        return items

    def push_mark(self) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def remember(self, key: int) -> None:
        self.memo[key] = self.top()

    def recall(self, key: int) -> None:
        if key not in self.memo:
            raise BrokenError(f"it recalls value {key}, which it never stored")
        self.stack.append(self.memo[key])

    # What each opcode does.

    def protocol(self) -> None:
        version = self.byte()
        if self.position != 2 or version > 5:
            raise BrokenError("its protocol is not 2 to 5")

    def frame(self) -> None:
        if self.unpack(_U64) > len(self.data) - self.position:
            raise BrokenError("it is cut short")

    def long(self) -> None:
        length = self.byte()
        if length > _MAX_INTEGER_BYTES:
            raise BrokenError("an integer in it is too large")
        self.stack.append(int.from_bytes(self.take(length), "little", signed=True))

    def tuple_of(self, length: int) -> None:
        items = [self.pop() for _ in range(length)]
        self.stack.append(tuple(reversed(items)))

    def tuple_from_mark(self) -> None:
        items = tuple(self.pop_mark())
        self.stack.append(items)

    def append(self, items: list[Any]) -> None:
        target = self.top()
        if isinstance(target, list):
            target.extend(items)
        elif not self.is_trusted(target):
            raise BrokenError("it appends to what is no list")

    def set_items(self, items: list[Any]) -> None:
        target = self.top()
        if len(items) % 2:
            raise BrokenError("a dict in it has a key without a value")
        if isinstance(target, dict):
            keys = items[::2]
            if not {*map(type, keys)} <= _KEYS:
                raise BrokenError("a dict in it has a key that is no name")
            target.update(zip(keys, items[1::2]))
        elif not self.is_trusted(target):
            raise BrokenError("it sets items of what is no dict")

    def is_trusted(self, target: object) -> bool:
        return isinstance(target, Call) and self.policy.trusts(target.name)

    def look_up(self, module: Any, name: Any) -> None:
        if type(module) is not str or type(name) is not str:
            raise RefusedError("it asks for a global whose name is no string")
        found = Name(module, name)
        # With a dotted name, unpickling walks through attributes to reach anything at all.
        if "." in name or not self.policy.allows(found):
            raise RefusedError(f"it asks for {str(found)!r}")
        self.globals.append(str(found))
        self.stack.append(found)

    def stack_global(self) -> None:
        name = self.pop()
        self.look_up(self.pop(), name)

    def reduce(self) -> None:
        arguments, function = self.pop(), self.pop()
        if not isinstance(function, Name) or not isinstance(arguments, tuple):
            raise RefusedError("it calls what is no global")
        self.stack.append(self.call(function, arguments))

    def call(self, function: Name, arguments: tuple[Any, ...]) -> object:
        if self.policy.trusts(function):
            return Call(function, arguments)
        check = self.policy.calls.get(function)
        if check is None:
            raise RefusedError(f"it calls {str(function)!r}")
        return check(arguments)

    def new_object(self) -> None:
        arguments, kind = self.pop(), self.pop()
        if not isinstance(kind, Name) or not self.policy.trusts(kind):
            raise RefusedError(f"it makes an object of {str(kind)!r}")
        self.stack.append(Call(kind, arguments))

    def build(self) -> None:
        state, target = self.pop(), self.top()
        if not isinstance(target, Call) or target.state is not None:
            raise RefusedError("it sets the state of what has none")
        if not self.policy.trusts(target.name):
            check = self.policy.states.get(target.name)
            if check is None:
                raise RefusedError(f"it sets the state of {str(target.name)!r}")
            check(state)
        target.state = state


_STOP = ord(".")
_BINUNICODE, _SHORT_BINUNICODE = ord("X"), 0x8C
_EMPTY_DICT, _MARK, _BINGET = ord("}"), ord("("), ord("h")
_CONSTANTS = {0x88: True, 0x89: False}
# Opcode that stores the top of the stack → bytes of its key, and whether the key is a count.
_MEMO_WRITERS = {ord("q"): (1, False), ord("r"): (4, False), 0x94: (0, True)}

# Every opcode that is known, STOP apart.
OPERATIONS: Mapping[int, Callable[[Machine], None]] = {
    0x80: Machine.protocol,
    0x95: Machine.frame,
    ord("("): Machine.push_mark,
    ord("N"): lambda m: m.stack.append(None),
    0x88: lambda m: m.stack.append(True),
    0x89: lambda m: m.stack.append(False),
    ord("J"): lambda m: m.stack.append(m.unpack(_I32)),
    ord("K"): lambda m: m.stack.append(m.byte()),
    ord("M"): lambda m: m.stack.append(m.unpack(_U16)),
    0x8A: Machine.long,
    ord("G"): lambda m: m.stack.append(m.unpack(_F64)),
    # Python 2's strings: bytes there, and text for the names among them.
    ord("U"): lambda m: m.stack.append(m.take(m.byte()).decode("latin-1")),
    ord("T"): lambda m: m.stack.append(m.take(m.unpack(_I32)).decode("latin-1")),
    0x8C: lambda m: m.text(m.byte()),
    ord("X"): lambda m: m.text(m.unpack(_U32)),
    0x8D: lambda m: m.text(m.unpack(_U64)),
    ord("C"): lambda m: m.stack.append(m.take(m.byte())),
    ord("B"): lambda m: m.stack.append(m.take(m.unpack(_U32))),
    0x8E: lambda m: m.stack.append(m.take(m.unpack(_U64))),
    ord(")"): lambda m: m.stack.append(()),
    0x85: lambda m: m.tuple_of(1),
    0x86: lambda m: m.tuple_of(2),
    0x87: lambda m: m.tuple_of(3),
    ord("t"): Machine.tuple_from_mark,
    ord("]"): lambda m: m.stack.append([]),
    ord("a"): lambda m: m.append([m.pop()]),
    ord("e"): lambda m: m.append(m.pop_mark()),
    ord("}"): lambda m: m.stack.append({}),
    ord("s"): lambda m: m.set_items([m.pop(), m.pop()][::-1]),
    ord("u"): lambda m: m.set_items(m.pop_mark()),
    ord("q"): lambda m: m.remember(m.byte()),
    ord("r"): lambda m: m.remember(m.unpack(_U32)),
    0x94: lambda m: m.remember(len(m.memo)),
    ord("h"): lambda m: m.recall(m.byte()),
    ord("j"): lambda m: m.recall(m.unpack(_U32)),
    ord("c"): lambda m: m.look_up(m.line(), m.line()),
    0x93: Machine.stack_global,
    ord("R"): Machine.reduce,
    0x81: Machine.new_object,
    ord("b"): Machine.build,
}
