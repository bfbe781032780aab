"""The messages that people search for: what is said of them, and that Paddle still says them."""

from __future__ import annotations

from collections import Counter

from compatload.faults.texts import rule_texts
from handbook.reproduce import possible, said, unhelped
from handbook.symptoms import GROUPS, remedies, seen, symptoms
from tests.releases import QUICK

# Of each kind some, with fixtures and releases that tests use anyway; all of them are said again
# by `python -m handbook.reproduce`, in a minute.
SAMPLE = (
    "path-to-load-model-not-exists",
    "pdmodel-exists-skip-forward",
    "json-parse-error-101-empty-input",
    "naive-executor-create-variables",
    "type-of-attribute-strides",
    "convert-pir-attribute-2-runtime-attribute",
    "decimals-is-not-int32",
    "memory-optimize-pass-not-found",
    "deserialize-to-tensor-failed",
    "cant-call-main-program-full-graph-false",
)


def test_a_sample_is_said_again() -> None:
    chosen = [one for one in symptoms() if one.id in SAMPLE]
    assert len(chosen) == len(SAMPLE)
    for one in chosen:
        assert possible(one)
        assert "/fixture:" in one.cell or not one.cell
        assert {one.release} - {""} <= set(QUICK)
    texts = said(chosen)
    assert not {one.id: texts[one.id] for one in chosen if one.message not in texts[one.id]}
    assert not unhelped(chosen)


def test_each_is_told_in_both_languages_and_produced_by_one_thing() -> None:
    assert len(symptoms()) >= 40
    for one in symptoms():
        assert one.cause, one.id
        assert any("\u4e00" <= letter <= "\u9fff" for letter in one.cause_zh), one.id
        assert one.group in GROUPS, one.id
        assert one.do in remedies(), one.id
        assert sum(map(bool, (one.cell, one.export, one.script))) == 1, one.id
        assert bool(one.release) != bool(one.cell), one.id
        assert set(one.rules) <= set(rule_texts()), one.id


def test_no_two_are_one() -> None:
    for texts in ([one.id for one in symptoms()], [one.message for one in symptoms()]):
        assert [text for text, times in Counter(texts).items() if times > 1] == []


def test_every_remedy_helps_somebody() -> None:
    assert {one.do for one in symptoms()} == set(remedies())


def test_the_matrix_has_met_those_that_are_cells() -> None:
    for one in symptoms():
        met = seen(one)
        if met:
            assert met.cells, one.id
            assert one.own_cell.loader in met.loaders, one.id
            assert met.helped, one.id
