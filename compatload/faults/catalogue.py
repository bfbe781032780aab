"""Every rule that a load can meet, in the order in which they are applied.

Nothing lists the files of the faults: what lies in this package and is called by a number is one.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from compatload import faults
from compatload.faults.model import Rule

# By what an id begins with: the machine, the format and the operators, the predictor.
_KINDS = ("CL5", "CL1", "CL2")


def _rules() -> list[Rule]:
    names = (found.name for found in iter_modules(faults.__path__))
    modules = [import_module(f"{faults.__name__}.{name}") for name in names if name[2:5].isdigit()]
    return [module.RULE for module in modules]


def _place(rule: Rule) -> tuple[int, str, str]:
    return _KINDS.index(rule.id[:3]), rule.after or rule.id, rule.id


LOAD_RULES: tuple[Rule, ...] = tuple(sorted(_rules(), key=_place))
