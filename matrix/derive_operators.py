"""Writes down what operators one installed Paddle knows; run it with that Paddle's Python.

    envs/3.3.1/bin/python matrix/derive_operators.py OUTPUT.json

Legacy operators come from ``core.get_all_op_protos()`` and ``core.get_op_attrs_default_value``.

PIR operators come from the registry inside libpaddle. No Python binding shows it, but the library
exports the C++ functions that do: ``pir::IrContext::registered_op_info_map`` (which operators
exist) and, through each operator's ``OpYamlInfoInterface``, ``GetOpInfo`` (operands, attributes
and results, each with its C++ type). They are called through ctypes; the standard library's
layouts of strings and vectors (libstdc++, 64 bit) are read from memory. Only Linux wheels are
read this way: the registries do not depend on the operating system.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import sys
from collections.abc import Iterator
from typing import Any

_FILL = 0xCC
_WORD = 8
_STRING = 32  # std::string: pointer, size, 16 bytes of small-string buffer
_INPUT = 72  # name, type, optional, no_need_buffer, is_mutable_attribute, with_grad_semantic
_ATTRIBUTE = 96  # name, type, data type
_OUTPUT = 72  # name, type, optional, intermediate

_INSTANCE = "_ZN3pir9IrContext8InstanceEv"
_REGISTERED = "_ZN3pir9IrContext22registered_op_info_mapB5cxx11Ev"
_INTERFACE_IMPL = "_ZNK3pir6OpInfo16GetInterfaceImplENS_6TypeIdE"
_ATTRIBUTE_NAMES = "_ZNK3pir6OpInfo17GetAttributesNameB5cxx11Ev"
_YAML_INFO_ID = "_ZN3pir6detail14TypeIdResolverIN6paddle7dialect19OpYamlInfoInterfaceEE3id_E"


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _flag(address: int) -> bool:
    return bool(ctypes.c_uint8.from_address(address).value)


def _string(address: int) -> str:
    return ctypes.string_at(_word(address), _word(address + _WORD)).decode()


def _elements(vector: int, size: int) -> Iterator[int]:
    """Addresses of the elements of the std::vector at ``vector``."""
    yield from range(_word(vector), _word(vector + _WORD), size)


class _CxxString:
    """A std::string that C++ may read."""

    def __init__(self, text: str) -> None:
        encoded = text.encode()
        self._data = ctypes.create_string_buffer(encoded)
        self._object = (ctypes.c_uint64 * 4)(
            ctypes.addressof(self._data), len(encoded), len(encoded), 0
        )

    @property
    def address(self) -> int:
        return ctypes.addressof(self._object)


class PirRegistry:
    """The operators registered in the imported Paddle's ``pir::IrContext``."""

    def __init__(self, library: str) -> None:
        cxx = ctypes.CDLL(library)
        instance = getattr(cxx, _INSTANCE)
        instance.restype = ctypes.c_void_p
        registered = getattr(cxx, _REGISTERED)
        registered.restype = ctypes.c_void_p
        registered.argtypes = [ctypes.c_void_p]
        self._interface_impl = getattr(cxx, _INTERFACE_IMPL)
        self._interface_impl.restype = ctypes.c_void_p
        self._interface_impl.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._attribute_names = getattr(cxx, _ATTRIBUTE_NAMES)
        self._attribute_names.restype = None
        self._attribute_names.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        # A TypeId is the address of the resolver's static member.
        self._yaml_info = ctypes.addressof(ctypes.c_uint64.in_dll(cxx, _YAML_INFO_ID))
        self._infos = dict(self._walk(registered(instance())))

    @staticmethod
    def _walk(hash_map: int) -> Iterator[tuple[str, int]]:
        """(name, OpInfo) of each node of a libstdc++ unordered_map<string, OpInfo>."""
        node = _word(hash_map + 2 * _WORD)
        while node:
            yield _string(node + _WORD), _word(node + _WORD + _STRING)
            node = _word(node)

    def operators(self) -> dict[str, dict[str, Any]]:
        return {name: self._operator(name, info) for name, info in sorted(self._infos.items())}

    def _operator(self, name: str, info: int) -> dict[str, Any]:
        box = ctypes.c_uint64(info)
        this = ctypes.addressof(box)
        names = (ctypes.c_uint64 * 3)()
        # A structure returned by value arrives through a hidden first pointer.
        self._attribute_names(ctypes.addressof(names), this)
        declared = [_string(item) for item in _elements(ctypes.addressof(names), _STRING)]
        concept = self._interface_impl(this, self._yaml_info)
        if concept is None:
            return {"attributes": [[attribute, None] for attribute in declared], "yaml": False}
        described = self._describe(name, _word(concept))
        described["declared"] = declared
        return described

    @staticmethod
    def _describe(name: str, function: int) -> dict[str, Any]:
        """Calls ``get_op_info_(name)``, which returns the tuple (inputs, attributes, outputs,
        run-time information, kernel's operator); libstdc++ lays a tuple out from its last
        member to its first, so the three vectors are what was written last."""
        size = 1024
        buffer = (ctypes.c_uint8 * size)(*([_FILL] * size))
        start = ctypes.addressof(buffer)
        text = _CxxString(name)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(function)(start, text.address)
        fill = int.from_bytes(bytes([_FILL] * _WORD), "little")
        end = size // _WORD
        while _word(start + (end - 1) * _WORD) == fill:
            end -= 1
        outputs, attributes, inputs = (start + (end - back) * _WORD for back in (9, 6, 3))
        return {
            "inputs": [
                {
                    "name": _string(item),
                    "type": _string(item + _STRING),
                    "optional": _flag(item + 2 * _STRING),
                    "mutable_attribute": _flag(item + 2 * _STRING + 2),
                }
                for item in _elements(inputs, _INPUT)
            ],
            "attributes": [
                [_string(item), _string(item + _STRING)]
                for item in _elements(attributes, _ATTRIBUTE)
            ],
            "outputs": [
                {
                    "name": _string(item),
                    "type": _string(item + _STRING),
                    "optional": _flag(item + 2 * _STRING),
                    "intermediate": _flag(item + 2 * _STRING + 1),
                }
                for item in _elements(outputs, _OUTPUT)
            ],
            "kernel_operator": _string(start),
        }


# AttrType numbers of framework.proto that get_op_attrs_default_value cannot tell by itself.
_ATTRIBUTE_TYPES = (
    *("INT", "FLOAT", "STRING", "INTS", "FLOATS", "STRINGS", "BOOLEAN", "BOOLEANS", "BLOCK"),
    *("LONG", "BLOCKS", "LONGS", "FLOAT64S", "VAR", "VARS", "FLOAT64", "SCALAR", "SCALARS"),
)
_PYTHON_TYPES = {bool: "BOOLEAN", int: "INT", float: "FLOAT", str: "STRING"}


def _plain(value: Any) -> Any:
    """A default as JSON can hold it; None where it cannot."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None


def _slots(variables: Any) -> list[dict[str, Any]]:
    flags = ("duplicable", "dispensable", "intermediate", "extra")
    return [
        {"name": item.name, **{flag: getattr(item, flag) for flag in flags}} for item in variables
    ]


def _extra_type(default: Any) -> str | None:
    if isinstance(default, list):
        kinds = {type(item) for item in default}
        return f"{_PYTHON_TYPES[kinds.pop()]}S" if len(kinds) == 1 else None
    return _PYTHON_TYPES.get(type(default))


def legacy_operators(core: Any, op_proto: Any) -> dict[str, dict[str, Any]]:
    operators: dict[str, dict[str, Any]] = {}
    for serialized in core.get_all_op_protos():
        proto = op_proto.FromString(bytes(serialized))
        defaults = core.get_op_attrs_default_value(proto.type.encode())
        extras = core.get_op_extra_attrs(proto.type)
        attributes = [
            {
                "name": item.name,
                "type": _ATTRIBUTE_TYPES[item.type],
                "extra": item.extra or item.name in extras,
                "default": _plain(defaults.get(item.name, extras.get(item.name))),
            }
            for item in proto.attrs
        ]
        known = {item["name"] for item in attributes}
        attributes += [
            {"name": name, "type": _extra_type(value), "extra": True, "default": _plain(value)}
            for name, value in sorted(extras.items())
            if name not in known
        ]
        operators[proto.type] = {
            "inputs": _slots(proto.inputs),
            "outputs": _slots(proto.outputs),
            "attributes": attributes,
        }
    for name in core.get_all_op_names():
        operators.setdefault(name, {"described": False})
    return dict(sorted(operators.items()))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("output", help="where to write what this Paddle knows, as JSON")
    options = parser.parse_args(arguments)
    import paddle
    from paddle.base import core, libpaddle
    from paddle.base.proto import framework_pb2

    registries: dict[str, Any] = {
        "paddle": paddle.__version__,
        "commit": paddle.version.commit,
        "legacy": legacy_operators(core, framework_pb2.OpProto),
    }
    # PIR of 2.6 is a preview: its files carry version 0 and no released Paddle reads them.
    if int(paddle.__version__.split(".")[0]) >= 3:
        registries["pir"] = PirRegistry(libpaddle.__file__).operators()
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(registries, file, indent=1, sort_keys=True)
    print({name: len(value) for name, value in registries.items() if isinstance(value, dict)})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
