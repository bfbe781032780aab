"""What a pickle would do, found out without doing it.

A name that a pickle asks for must stand in an exact table, and be used exactly as Paddle uses it.
Anything else is refused, also where ``pickle.load`` would have got away with it. What was audited
is handed on as bytes or as plain data, so nothing can be exchanged between audit and load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from compatload.artifact.pickle_machine import (
    BrokenError,
    Call,
    Machine,
    Name,
    Policy,
    RefusedError,
)
from compatload.errors import DamagedArtifactError, UnsafeArtifactError, UsageError
from compatload.frozen import frozen


@frozen
class PickleAudit:
    """An audited pickle: the very bytes, every global in it, and what it holds.

    ``value`` is plain data, in which arrays and trusted objects are
    :class:`~compatload.artifact.pickle_machine.Call` records.
    """

    data: bytes
    globals: tuple[str, ...]
    value: object


def audit_info(data: bytes, path: str = "<memory>", trusted: Collection[str] = ()) -> PickleAudit:
    """Audit a ``.pdiparams.info``: a dict of dicts of str and bool, without any global.

    Raises:
        UnsafeArtifactError: it asks for a global that is not in ``trusted``.
        DamagedArtifactError: it is no complete pickle, or holds something else.
    """
    audit = _audit(data, path, Policy({}, frozenset(), {}, _exact_names(trusted)))
    if not audit.globals and not _is_info(audit.value):
        raise DamagedArtifactError(
            f"{path} does not hold what Paddle writes there (variables with their properties).",
            action="Remove it, or fetch the model again.",
            artifact=path,
        )
    return audit


def audit_state(data: bytes, path: str = "<memory>", trusted: Collection[str] = ()) -> PickleAudit:
    """Audit a ``.pdparams`` or ``.pdopt``: plain data, NumPy arrays and Paddle's tensors.

    Raises:
        UnsafeArtifactError: it asks for, or calls, anything else.
        DamagedArtifactError: it is no complete pickle.
    """
    return _audit(data, path, Policy(_CALLS, _NAMES, _STATES, _exact_names(trusted)))


def _exact_names(trusted: Collection[str]) -> frozenset[str]:
    if isinstance(trusted, (str, bytes, bool)) or not all(isinstance(n, str) for n in trusted):
        raise UsageError(
            "trusted is a list of exact names.", action='Write it as trusted=["module.name"].'
        )
    return frozenset(trusted)


def _audit(data: bytes, path: str, policy: Policy) -> PickleAudit:
    machine = Machine(data, policy)
    try:
        value = machine.run()
    except RefusedError as error:
        raise UnsafeArtifactError(
            f"Loading {path} could run code that it brings along: {error}.",
            action='Do not load it; if you know its author, name it: trusted=["module.name"].',
            artifact=path,
        ) from error
    except (BrokenError, UnicodeDecodeError) as error:
        raise DamagedArtifactError(
            f"{path} is a damaged pickle: {error}.",
            action="Fetch or save the model again.",
            artifact=path,
        ) from error
    return PickleAudit(data, tuple(dict.fromkeys(machine.globals)), value)


_INFO_KEYS = frozenset((str,))
_INFO_VALUES = frozenset((str, bool))


def _is_info(value: object) -> bool:
    return isinstance(value, dict) and all(
        type(name) is str
        and type(entry) is dict
        and {*map(type, entry)} <= _INFO_KEYS
        and {*map(type, entry.values())} <= _INFO_VALUES
        for name, entry in value.items()
    )


# What may be called in a state file, and with which arguments. Each function gives the inert
# value that stands for the result.

_NDARRAY = Name("numpy", "ndarray")
_DTYPE = Name("numpy", "dtype")
_RECONSTRUCT = Name("numpy", "_reconstruct")  # canonical: NumPy moved its module in 2.0
_SCALAR = Name("numpy", "scalar")
_ELEMENT = re.compile(r"[<>=|]?(?:(b|i|u|f|c)(1|2|4|8|16)|([SU])([0-9]{1,6}))")


def _refuse(what: str) -> RefusedError:
    return RefusedError(f"it calls {what} in a way that Paddle does not")


def _encode(arguments: tuple[Any, ...]) -> bytes:
    # How protocol 2 spells bytes.
    if len(arguments) == 2 and isinstance(arguments[0], str) and arguments[1] == "latin1":
        with suppress(UnicodeEncodeError):
            return arguments[0].encode("latin-1")
    raise _refuse("_codecs.encode")


def _reconstruct(arguments: tuple[Any, ...]) -> Call:
    if len(arguments) == 3 and arguments[:2] == (_NDARRAY, (0,)) and arguments[2] in (b"b", "b"):
        return Call(_RECONSTRUCT, arguments)
    raise _refuse("numpy's _reconstruct")


def _dtype(arguments: tuple[Any, ...]) -> Call:
    # Object, structured and date types never occur; an object array would hold pickles again.
    if len(arguments) == 3 and isinstance(arguments[0], str) and _ELEMENT.fullmatch(arguments[0]):
        return Call(_DTYPE, arguments[0])
    raise _refuse("numpy.dtype")


def _scalar(arguments: tuple[Any, ...]) -> Call:
    if len(arguments) == 2 and _is_raw(arguments[1], arguments[0], ()):
        return Call(_SCALAR, arguments)
    raise _refuse("numpy's scalar")


def _tuple(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    # A dynamic tensor is written as tuple((name, array)).
    if (
        len(arguments) == 1
        and isinstance(arguments[0], tuple)
        and len(arguments[0]) == 2
        and isinstance(arguments[0][0], str)
        and _is_array(arguments[0][1])
    ):
        return arguments[0]
    raise _refuse("tuple")


def _eval(arguments: tuple[Any, ...]) -> Call:
    # A static DenseTensor is written as eval('data', {'data': array}): the array, and no more.
    if len(arguments) == 2 and arguments[0] == "data":
        scope = arguments[1]
        if isinstance(scope, dict) and list(scope) == ["data"] and _is_array(scope["data"]):
            array: Call = scope["data"]
            return array
    raise _refuse("eval")


def _ordered_dict(arguments: tuple[Any, ...]) -> dict[str, Any]:
    if arguments == ():
        return {}
    raise _refuse("collections.OrderedDict")


def _is_array(value: object) -> bool:
    return isinstance(value, Call) and value.name == _RECONSTRUCT and value.state is not None


def _array_state(state: Any) -> None:
    if not (
        isinstance(state, tuple)
        and len(state) == 5
        and state[0] == 1
        and isinstance(state[1], tuple)
        and isinstance(state[3], bool)
        and _is_raw(state[4], state[2], state[1])
    ):
        raise RefusedError("an array in it is not as NumPy writes them")


def _dtype_state(state: Any) -> None:
    if not (
        isinstance(state, tuple)
        and len(state) == 8
        and state[0] in (3, 4)
        and state[1] in ("<", ">", "|", "=")
        and state[2:5] == (None, None, None)
        and all(isinstance(part, int) for part in state[5:])
    ):
        raise RefusedError("a data type in it is not as NumPy writes them")


def _is_raw(data: object, dtype: object, shape: tuple[Any, ...]) -> bool:
    """Whether ``data`` is exactly the raw bytes of such an array."""
    if not isinstance(dtype, Call) or dtype.name != _DTYPE or not isinstance(data, (bytes, str)):
        return False
    found = _ELEMENT.fullmatch(str(dtype.arguments))
    if found is None or not all(type(size) is int and 0 <= size < 2**48 for size in shape):
        return False
    size = int(found[2]) if found[1] else int(found[4]) * (4 if found[3] == "U" else 1)
    for dimension in shape:
        size *= dimension
    return len(data) == size


_CALLS: Mapping[Name, Callable[[Any], object]] = {
    Name("_codecs", "encode"): _encode,
    Name("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    Name("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    Name("numpy.core.multiarray", "scalar"): _scalar,
    Name("numpy._core.multiarray", "scalar"): _scalar,
    _DTYPE: _dtype,
    Name("builtins", "tuple"): _tuple,
    Name("__builtin__", "tuple"): _tuple,
    Name("builtins", "eval"): _eval,
    Name("__builtin__", "eval"): _eval,
    Name("collections", "OrderedDict"): _ordered_dict,
}
_NAMES = frozenset((_NDARRAY,))
_STATES: Mapping[Name, Callable[[Any], None]] = {
    _RECONSTRUCT: _array_state,
    _DTYPE: _dtype_state,
}
