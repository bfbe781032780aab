"""Sizes in lists that the translation to PIR makes: none that others read (CL158), and all of as
many dimensions (CL160)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from compatload.artifact.model import Artifact
from compatload.faults.cl158_sizes_read_twice import SLOTS
from compatload.programs.legacy_repairs.program import declare_like, fill, rename
from compatload.programs.legacy_repairs.standard_operators import assign, reshape

READ_TWICE, OF_OTHER_RANKS = "CL158", "CL160"

Found = Mapping[frozenset[str], Collection[str]]  # sizes, by the results of what takes them


def copied(desc: Any, artifact: Artifact, found: Found) -> None:
    """Lists have copies of such sizes."""
    _made_anew(desc, found, lambda size, variable: assign(size, variable.name))


def as_vectors(desc: Any, artifact: Artifact, found: Found) -> None:
    """Lists have vectors of one for such numbers."""

    def vector(number: str, variable: Any) -> Any:
        variable.type.dense_tensor.tensor.dims[:] = [1]
        return reshape(number, variable.name, [1])

    _made_anew(desc, found, vector)


def _made_anew(desc: Any, found: Found, make: Callable[[str, Any], Any]) -> None:
    declared = {one.name: one for block in desc.blocks for one in block.vars}
    for block in desc.blocks:
        operators: list[Any] = []
        for operator in block.ops:
            # Repairs before this one move operators, but leave what they yield.
            results = frozenset(name for slot in operator.outputs for name in slot.arguments)
            sizes = sorted(declared.keys() & found.get(results, ()))
            others = {name: f"{name}/of/{min(results)}" for name in sizes}
            for name, other in others.items():
                variable = declare_like(block, declared[name], other)
                operators.append(make(name, variable))
            rename((slot for slot in operator.inputs if slot.parameter in SLOTS), others)
            operators.append(operator)
        if len(operators) > len(block.ops):
            fill(block, operators)
