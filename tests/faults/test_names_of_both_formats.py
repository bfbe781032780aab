"""Faults of legacy programs are looked for in PIR programs as well, which a predictor may get as
legacy ones (2.6, and `Action.AS_LEGACY`): a rule names an operator as each format does."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import pytest

from compatload.faults.catalogue import load_rules
from compatload.faults.model import LEGACY, Condition, Rule
from compatload.plan import Api
from compatload.programs.pir_to_legacy import families
from compatload.programs.pir_to_legacy.rules import OperatorRule

# Other functions than what the legacy operator is in models, or what no file holds.
NOT_MEANT = frozenset(
    {
        *("add_n_array", "matmul_with_flatten", "mean_all", "npu_identity", "rint", "share_data"),
        *("unbind_grad",),
    }
)
# CL215's passes go whenever a program is converted; loops of PIR have other names for what they
# carry (CL605); and the others mean a reduction by `sum`, where there is one.
OTHERWISE = {
    *(("CL215", name) for name in ("elementwise_mul", "elementwise_sub")),
    *((rule, "sum") for rule in ("CL289", "CL602", "CL605", "CL615")),
    ("CL605", "unsqueeze2"),
}


@cache
def pir_names() -> dict[str, set[str]]:
    """What PIR calls each legacy operator that one of PIR's becomes by a table alone."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in iter_modules(families.__path__):
        rules = import_module(f"{families.__name__}.{module.name}").RULES
        for name, made in rules.items():
            if isinstance(made, OperatorRule) and name not in NOT_MEANT:
                found[made.type].add(name)
    return found


def is_of_legacy_programs(condition: Condition) -> bool:
    return condition.runs_as == LEGACY and not condition.formats


@pytest.mark.parametrize("rule", load_rules(Api.PREDICTOR), ids=lambda rule: rule.id)
def test_a_rule_for_legacy_programs_names_operators_of_both(rule: Rule) -> None:
    known = pir_names()
    for condition in filter(is_of_legacy_programs, rule.when):
        for pattern in condition.operators:
            for name in pattern.names:
                if (rule.id, name) not in OTHERWISE:
                    lacking = {one for one in known[name] if f"{one}_" not in pattern.names}
                    assert lacking <= pattern.names, f"{name} is {lacking} in PIR"
