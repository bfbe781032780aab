"""Other variables for sizes in lists that the translation to PIR makes (CL158, CL160)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from compatload.faults.cl158_sizes_read_twice import SLOTS
from compatload.programs.legacy_repairs.program import declare_like, fill, rename

Sizes = Mapping[frozenset[str], Collection[str]]  # by the results of what takes them


def made_anew(desc: Any, found: Sizes, make: Callable[[str, Any], Any]) -> None:
    """Lists have what ``make``s a declared variable of such a size, right in front of them."""
    declared = {one.name: one for block in desc.blocks for one in block.vars}
    for block in desc.blocks:
        operators: list[Any] = []
        for operator in block.ops:
            # Repairs before this one move operators, but leave what they yield; what begins the
            # state of a loop yields the same.
            results = frozenset(name for slot in operator.outputs for name in slot.arguments)
            lists = [slot for slot in operator.inputs if slot.parameter in SLOTS]
            listed = {name for slot in lists for name in slot.arguments}
            sizes = sorted(declared.keys() & listed.intersection(found.get(results, ())))
            others = {name: f"{name}/of/{min(results)}" for name in sizes}
            for name, other in others.items():
                variable = declare_like(block, declared[name], other)
                operators.append(make(name, variable))
            rename(lists, others)
            operators.append(operator)
        if len(operators) > len(block.ops):
            fill(block, operators)
