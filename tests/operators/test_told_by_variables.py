"""Attributes that variables may tell: the table is that of the wheels, and such models load."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compatload.artifact.model import Operator, TensorSpec
from compatload.operators.registry import legacy_operators
from compatload.operators.requirements import BY_VARIABLE, _legacy_flaw
from tests.releases import releases, run_in

SCRIPT = Path(__file__).with_name("told_by_variables.py")
NAMES = frozenset(
    (
        *("squeeze", "sum", "mean", "max", "min", "prod", "argmax", "argmin", "cumsum"),
        *("dropout", "full_like", "pool", "convolution", "unpool"),
    )
)


@pytest.mark.parametrize("release", ["2.6.2", "3.3.1"])
def test_the_table_is_that_of_the_wheels(release: str) -> None:
    if release not in releases():
        pytest.skip("not among the releases of this run")
    told = json.loads(run_in(release, SCRIPT, "attributes").splitlines()[-1])
    missing = {name: set(names) - BY_VARIABLE.get(name, set()) for name, names in told.items()}
    assert not any(missing.values()), missing
    if release == "3.3.1":  # the other is of 2.6 only
        assert told.keys() == BY_VARIABLE.keys() - {"dropout_nd"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told")
    run_in("2.6.2", SCRIPT, "save", str(folder))
    return folder


@pytest.mark.parametrize("release", ["2.6.2", "3.3.1"])
def test_models_load(saved: Path, release: str) -> None:
    if release not in releases():
        pytest.skip("not among the releases of this run")
    said = run_in(release, SCRIPT, "load", str(saved)).splitlines()
    assert {line.partition(" ")[2] for line in said if line.startswith("ok ")} == NAMES


def flaw(name: str, attribute: str, kind: str, value: object, dtype: str | None) -> str | None:
    description = legacy_operators("2.6.2")[name]
    attributes = {one.name: one.default for one in description.attributes}
    kinds = {one.name: one.type or "INT" for one in description.attributes}
    operator = Operator(
        name,
        {slot.name: ("x",) for slot in description.inputs if not slot.dispensable},
        {slot.name: ("y",) for slot in description.outputs},
        {**attributes, attribute: value},
        kinds={**kinds, attribute: kind},
    )
    variables = {
        "x": TensorSpec("x", "float32", (2, 3)),
        "y": TensorSpec("y", "float32", None),
        "told": TensorSpec("told", dtype, (1,)),
    }
    return _legacy_flaw(variables, description, operator)


@pytest.mark.parametrize(
    ("name", "attribute", "kind", "value", "dtype", "sound"),
    [
        ("reduce_sum", "dim", "VAR", "told", "int32", True),
        ("reduce_sum", "dim", "VARS", ("told", "told"), "int64", True),
        ("reduce_sum", "dim", "VAR", "told", "float32", False),
        ("reduce_sum", "dim", "VAR", "told", None, False),
        ("reduce_sum", "dim", "VAR", "nobody", "int32", False),
        ("reduce_sum", "dim", "VARS", (), "int32", False),
        ("reduce_sum", "keep_dim", "VAR", "told", "int32", False),
        ("cumsum", "axis", "VAR", "told", "int32", True),
        ("cumsum", "axis", "VARS", ("told",), "int32", False),
        ("dropout", "dropout_prob", "VAR", "told", "float32", True),
        ("dropout", "dropout_prob", "VAR", "told", "int32", True),
        ("dropout", "dropout_prob", "VAR", "told", "bool", False),
        ("fill_any_like", "value", "VAR", "told", "int32", True),
        ("fill_any_like", "value", "VAR", "told", "bool", False),
    ],
)
def test_what_a_variable_may_tell(
    name: str, attribute: str, kind: str, value: object, dtype: str | None, sound: bool
) -> None:
    assert (flaw(name, attribute, kind, value, dtype) is None) is sound
