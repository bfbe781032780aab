"""Rules are well-formed data, in step with the registries that they were read from."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from packaging.specifiers import SpecifierSet

import compatload
from compatload import faults
from compatload.cli import main
from compatload.faults.artifacts import ARTIFACT_RULES
from compatload.faults.catalogue import load_rules
from compatload.faults.cl108_releases_of_one_pir_version import DIFFERENT_IN_3_1, DIFFERENT_IN_3_3
from compatload.faults.cl141_unknown_attributes import UNKNOWN
from compatload.faults.model import Action, Cause, Rule
from compatload.faults.texts import rule_texts
from compatload.operators.registry import legacy_operators, pir_operators
from compatload.plan import Api
from compatload.programs import emptied_results, layouts, lost_additions, unreadable_numbers
from compatload.programs import legacy_repairs as repairs

REPAIRS = "compatload.programs.legacy_repairs."


def test_ids_are_unique_and_of_one_form() -> None:
    ids = [rule.id for rule in load_rules()]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"CL[1-9]\d\d", identity) for identity in ids)


def test_what_a_layer_meets_is_written_otherwise_whatever_a_config_leaves_out() -> None:
    """Layers have no passes; without a cause it would be left out with oneDNN."""
    of_layers = [
        rule
        for rule in load_rules()
        if rule.action is Action.REWRITE
        and any(not one.apis or Api.LAYER in one.apis for one in rule.when)
    ]
    assert len(of_layers) > 4
    assert [rule.id for rule in of_layers if rule.cause is not Cause.KERNELS] == []


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.id)
def test_every_rule_says_why_and_what_happens_without_it(rule: Rule) -> None:
    assert rule.evidence
    assert all(evidence.kind in ("measured", "thread") for evidence in rule.evidence)
    assert rule.without in ("error", "crash", "wrong")
    assert rule.explanation.endswith(".")
    for condition in rule.when:
        SpecifierSet(condition.paddle)
    if rule.action is Action.REFUSE:
        assert rule.advice


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [("3.1.0", "3.1.1", DIFFERENT_IN_3_1), ("3.3.0", "3.3.1", DIFFERENT_IN_3_3)],
)
def test_operators_that_differ_are_those_of_the_registries(
    one: str, other: str, names: frozenset[str]
) -> None:
    tables = pir_operators(one), pir_operators(other)
    everything = {name for table in tables for name in table}
    differing = {
        name.partition(".")[2].rstrip("_")
        for name in everything
        if tables[0].get(name) != tables[1].get(name)
    }
    # Backward operators are not in saved programs.
    assert {name for name in differing if not name.endswith("_grad")} == names


def test_attributes_that_2_6_does_not_know_are_those_of_the_registries() -> None:
    older, newer = legacy_operators("2.6.2"), legacy_operators("3.3.1")
    for name, told in UNKNOWN.items():
        for attribute, usual in told.items():
            described = newer[name].attribute(attribute)
            assert described is not None
            assert described.default == usual
            assert older[name].attribute(attribute) is None


def test_every_id_that_is_printed_is_in_the_catalogue_and_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = Path(compatload.__file__).parent
    printed = {
        identity
        for module in root.rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for identity in re.findall(r"\bCL\d{3}\b", node.value)
    }
    assert printed <= {*rule_texts()}
    assert main(["rule"]) == 0
    assert {line[:5] for line in capsys.readouterr().out.splitlines()} == {*rule_texts()}
    for identity, text in rule_texts().items():
        assert main(["rule", identity]) == 0
        told = capsys.readouterr().out
        assert told.startswith(f"{identity}: {text.title}\n")
        assert text.explanation in told


def test_every_repair_is_a_rule_that_names_its_module_or_says_what_it_puts_in_place() -> None:
    modules = [import_module(found.name) for found in iter_modules(repairs.__path__, REPAIRS)]
    made = {
        module.RULE: module
        for module in (*modules, emptied_results, layouts, lost_additions, unreadable_numbers)
        if hasattr(module, "RULE")
    }
    told = {rule.id: rule for rule in load_rules() if rule.action is Action.REPAIR}
    assert set(made) == {identity for identity, rule in told.items() if not rule.becomes}
    assert {rule.module for rule in told.values() if rule.module} == {
        module.__name__ for module in made.values()
    }


def test_every_fault_has_a_file_of_its_number_and_says_when_paddle_meets_it() -> None:
    files = {
        found.name[:5].upper()
        for found in iter_modules(faults.__path__)
        if found.name[2:5].isdigit()
    }
    assert files == {rule.id for rule in load_rules()}
    orders = [alone.order for rule in (*load_rules(), *ARTIFACT_RULES) for alone in rule.alone]
    assert len(orders) == len(set(orders))
    for rule in load_rules():
        if rule.module:
            import_module(rule.module)
