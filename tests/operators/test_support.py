"""Which operators a release lacks, asked of programs that real releases saved."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from compatload.artifact import pir_json
from compatload.artifact.model import Operator, Program
from compatload.operators.support import unsupported_operators

PROGRAMS = Path(__file__).resolve().parent.parent / "programs" / "pir_programs"


def saved(release: str, name: str) -> Program:
    texts = json.loads(gzip.decompress((PROGRAMS / f"{release}.json.gz").read_bytes()))
    return pir_json.decode(texts[name].encode()).program


def legacy(*names: str) -> Program:
    operators = tuple(Operator(name, {}, {}, {}, 0, index) for index, name in enumerate(names))
    return Program(operators, (), ())


def test_an_operator_that_a_release_lacks():
    program = saved("3.3.1", "median")
    assert unsupported_operators(program, "3.1.1") == ("pd_op.median (block 0, operator 2)",)
    assert unsupported_operators(program, "3.2.0") == ()


def test_an_operator_of_the_same_name_that_is_another():
    program = saved("3.0.0", "fused_rms_norm")
    (listed,) = unsupported_operators(program, "3.3.1")
    assert listed.startswith("pd_op.rms_norm (block 0")
    assert unsupported_operators(program, "3.2.2") == ()


def test_operators_in_nested_blocks_are_found():
    program = saved("3.3.1", "if")
    assert unsupported_operators(program, "3.0.0") == ()


def test_custom_operators_are_in_no_registry():
    program = Program((Operator("custom_op.mine", {}, {}, {}, 0, 0),), (), ())
    assert unsupported_operators(program, "3.3.1") == ("custom_op.mine (block 0, operator 0)",)


def test_legacy_operators():
    program = legacy("conv2d", "bilinear_interp", "no_such_operator", "conv2d_grad")
    assert unsupported_operators(program, "2.6.2") == ("no_such_operator (block 0, operator 2)",)
