"""Small legacy programs to take apart, built with the messages of ``program_proto``."""

from __future__ import annotations

from typing import Any

from compatload.artifact.program_proto import ATTR_FIELDS, ATTR_TYPES, message

DENSE, FEED, FETCH, RAW = 7, 9, 10, 17
FLOAT = 5


def variable(
    block: Any,
    name: str,
    shape: tuple[int, ...] = (2,),
    *,
    dtype: int = FLOAT,
    kind: int = DENSE,
    persistable: bool = False,
) -> Any:
    made = block.vars.add(name=name, persistable=persistable)
    made.type.type = kind
    if kind == DENSE:
        made.type.dense_tensor.tensor.data_type = dtype
        made.type.dense_tensor.tensor.dims.extend(shape)
    return made


def operator(
    block: Any,
    kind: str,
    inputs: dict[str, list[str]] | None = None,
    outputs: dict[str, list[str]] | None = None,
    **attributes: tuple[str, Any],
) -> Any:
    """``attributes`` map a name to its type and value: ``axis=("INT", 1)``."""
    made = block.ops.add(type=kind)
    for slots, given in ((made.inputs, inputs), (made.outputs, outputs)):
        for name, arguments in (given or {}).items():
            slots.add(parameter=name, arguments=arguments)
    for name, (attribute_type, value) in attributes.items():
        attribute = made.attrs.add(name=name, type=ATTR_TYPES[attribute_type])
        field = ATTR_FIELDS[attribute_type]
        if isinstance(value, (list, tuple)):
            getattr(attribute, field).extend(value)
        else:
            setattr(attribute, field, value)
    return made


def program(*, version: int | None = 2_006_002) -> tuple[Any, Any]:
    """A program that feeds x, adds the parameter w and fetches y; and its main block."""
    description = message("ProgramDesc")
    block = description.blocks.add(idx=0, parent_idx=-1)
    variable(block, "feed", kind=FEED, persistable=True)
    variable(block, "fetch", kind=FETCH, persistable=True)
    variable(block, "x", (-1, 2))
    variable(block, "w", persistable=True)
    variable(block, "b", (3,), persistable=True)
    variable(block, "y", (-1, 2))
    operator(block, "feed", {"X": ["feed"]}, {"Out": ["x"]}, col=("INT", 0))
    operator(block, "add", {"X": ["x"], "Y": ["w"]}, {"Out": ["y"]}, axis=("INT", -1))
    operator(block, "fetch", {"X": ["y"]}, {"Out": ["fetch"]}, col=("INT", 0))
    if version is not None:
        description.version.version = version
    return description, block
