"""Every rule that a load can meet, in the order in which they are applied.

Nothing lists the files of the faults: what lies in this package and is called by a number is one.
Those of the predictor are most of them, and are not read for other loads.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from compatload import faults
from compatload.faults.model import Rule
from compatload.plan import Api


@cache
def load_rules(api: Api | None = None) -> tuple[Rule, ...]:
    """Those of the machine, the format, the operators and, unless another ``api`` is meant, the
    predictor."""
    predictor = predictor_rules() if api in (None, Api.PREDICTOR) else ()
    return (*rules_of("CL5"), *rules_of("CL1"), *predictor)


def predictor_rules() -> tuple[Rule, ...]:
    """Those of the predictor: the numbers that begin with 2 are all given away."""
    return (*rules_of("CL2"), *rules_of("CL6"))


@cache
def rules_of(kind: str) -> tuple[Rule, ...]:
    """The rules whose ids begin with ``kind``."""
    found = [
        import_module(f"{faults.__name__}.{name}").RULE
        for name in _files()
        if name.startswith(kind.lower())
    ]
    return tuple(sorted(found, key=lambda rule: (rule.after or rule.id, rule.id)))


@cache
def _files() -> tuple[str, ...]:
    names = (one.name for one in iter_modules(faults.__path__))
    return tuple(name for name in names if name[2:5].isdigit())
