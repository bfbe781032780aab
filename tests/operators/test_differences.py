"""Differences between releases, and the page that is made of them."""

from __future__ import annotations

import pytest

from compatload.operators.registry import known_releases
from matrix.pir.differences import PAGE, Difference, as_table, differences, page


def test_from_3_3_0_to_3_3_1_one_number_hides_a_change():
    found = differences("3.3.0", "3.3.1")
    assert Difference("pd_op.group_norm", "attribute", "epsilon", "0.a_f32", "0.a_f64") in found
    assert Difference("pd_op.rms_norm", "operator", "", None, "x, scale") in found


def test_added_attributes_operands_and_removed_operators():
    found = differences("3.1.1", "3.2.0")
    added = Difference("pd_op.repeat_interleave", "attribute", "output_size", None, "0.a_i64")
    assert added in found
    operands = [item for item in found if item.part == "operands"]
    assert "pd_op.fused_transpose_split_quant" in {item.operator for item in operands}
    gone = [item for item in differences("3.2.2", "3.3.0") if item.after is None]
    assert {item.operator for item in gone if item.part == "operator"} == {
        "pd_op.rms_norm",
        "pd_op.rms_norm_grad",
    }


@pytest.mark.parametrize("pair", [("3.2.0", "3.2.1"), ("3.2.1", "3.2.2"), ("3.3.1", "3.3.1")])
def test_releases_that_agree(pair):
    assert differences(*pair) == ()
    assert as_table(()) == "Nothing."


def test_back_is_there_reversed():
    there = {(i.operator, i.part, i.name, i.before, i.after) for i in differences("3.0.0", "3.3.1")}
    back = {(i.operator, i.part, i.name, i.after, i.before) for i in differences("3.3.1", "3.0.0")}
    assert there == back


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run matrix/pir/differences.py"
    for release in known_releases():
        assert release in page()
