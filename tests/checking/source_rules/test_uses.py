"""CL311–CL314: uses of loaded things, as the releases answered to them."""

from __future__ import annotations

import textwrap

import pytest

from compatload.checking.finding import Finding, Skipped
from compatload.checking.source_rules.uses_table import INSTEAD, uses
from compatload.checking.sources import check_source
from compatload.checking.target import MEASURED, parse_target

RULES = ("CL311", "CL312", "CL313", "CL314")
PROGRAM = """
import paddle
program, feeds, targets = paddle.static.load_inference_model(path, exe)
"""
CONFIG = """
from paddle.inference import Config, create_predictor
config = Config(model, weights)
"""


def findings(text: str, target: str = "3.3.1") -> list[Finding]:
    result = check_source("a.py", textwrap.dedent(text).encode(), parse_target(target))
    assert not isinstance(result, Skipped), result
    return [finding for finding in result if finding.rule in RULES]


OLD = [
    "exe.run(program, fetch_list=[v.name for v in targets])",
    "n = targets[0].name",
    "n = program.global_block().ops[i].type",
    "for op in program.global_block().ops:\n    print(op.type)",
    "ts = [op.type for op in program.global_block().ops]",
    "block = program.global_block()\nops = block.ops\nn = ops[0].input_arg_names",
    "d = program.desc.serialize_to_string()",
    "v = program.global_block().var('x')",
    "v = program.global_block().vars",
    "for v in program.list_vars():\n    print(v.name)",
    "p = program.all_parameters()",
    "p = program.clone(for_test=True)",
    "s = program.to_string(True)",
    "c = paddle.static.CompiledProgram(program)",
    "p = paddle.static.Program.parse_from_string(data)",
    "p = paddle.static.deserialize_program(data)",
    "d = paddle.static.default_main_program().desc",
    "b = paddle.jit.load(path).program().block(0)",
    "def ops():\n    return program.global_block().ops\nfor op in ops():\n    op.attr('axis')",
    "class A:\n    def __init__(self):\n"
    "        self.p, _, self.t = paddle.static.load_inference_model(path, exe)\n"
    "    def f(self):\n        return self.t[0].name",
    "loaded = paddle.static.load_inference_model(path, exe)\nd = loaded[0].desc",
]


@pytest.mark.parametrize("use", OLD)
def test_uses_of_a_legacy_program(use: str) -> None:
    (finding,) = findings(PROGRAM + use)
    assert (finding.rule, finding.severity.value) == ("CL311", "error")
    assert findings(PROGRAM + use, "2.6.2") == []
    legacy = "import os\nos.environ['FLAGS_enable_pir_api'] = '0'\n" + PROGRAM + use
    assert findings(legacy) == []


NEW = [
    "n = program.global_block().ops[0].name()",
    "v = program.global_block().ops[0].results()",
    "a = program.global_block().ops[0].attrs()",
    "n = program.num_ops()",
    "o = targets[0].get_defining_op()",
]


@pytest.mark.parametrize("use", NEW)
def test_uses_of_a_pir_program(use: str) -> None:
    (finding,) = findings(PROGRAM + use, "2.6.2")
    assert (finding.rule, finding.severity.value) == ("CL311", "error")
    assert findings(PROGRAM + use) == []


@pytest.mark.parametrize(
    "use",
    [
        "exe.run(program, fetch_list=targets)",
        "b = program.global_block()",
        "p = program.clone()",
        "s = targets[0].shape",
        "n = feeds[0].name",  # whatever that is
        "program = build()\nd = program.desc",  # it may be something else
        "if hasattr(program, 'desc'):\n    d = program.desc",
        "try:\n    d = program.desc\nexcept AttributeError:\n    d = None",
        "if paddle.__version__.startswith('2.'):\n    d = program.desc",
        "d = other.desc",
        "for p in program.global_block().all_parameters():\n    print(p.name)",
        "c = paddle.inference.Config(m)\nh = p.get_input_handle(n)\nh.share_external_data(t)",
        "def f(program):\n    return program.desc",
        "for op in others:\n    t = op.type",
        "for op in program.global_block().ops:\n    pass\nfor op in others:\n    t = op.type",
        "is_one = isinstance(program, paddle.static.CompiledProgram)",
        "c = paddle.static.CompiledProgram(main.graph)",
    ],
)
def test_what_goes_or_is_guarded(use: str) -> None:
    assert findings(PROGRAM + use) == []


def test_a_name_is_what_the_loop_around_it_makes_of_it() -> None:
    use = "for op in program.global_block().ops:\n    t = op.type\nfor op in others:\n    op.type\n"
    (finding,) = findings(PROGRAM + use)
    assert "Operator.type" in finding.message


@pytest.mark.parametrize(
    ("call", "target", "severity"),
    [
        ("enable_lite_engine()", "3.3.1", "error"),
        ("set_model_buffer(a, 1, b, 1)", "3.0.0", "warning"),
        ("enable_onednn()", "2.6.2", "error"),
        ("enable_onednn()", "3.0.0", "error"),
        ("disable_onednn()", "2.6.2", "error"),
        ("set_onednn_cache_capacity(10)", "2.6.2", "error"),
        ("enable_new_ir(True)", "2.6.2", "error"),
        ("set_optimization_level(3)", "2.6.2", "error"),
        ("enable_custom_passes(['p'])", "2.6.2", "error"),
        ("enable_mkldnn()", "3.3.1", None),
        ("enable_onednn()", "3.3.1", None),
        ("enable_new_ir(True)", "3.3.1", None),
        ("set_model_buffer(a, 1, b, 1)", "2.6.2", None),
        ("enable_lite_engine()", "2.6.2", None),
    ],
)
def test_calls_of_a_config(call: str, target: str, severity: str | None) -> None:
    found = findings(CONFIG + f"config.{call}\n", target)
    assert [(f.rule, f.severity.value) for f in found] == [("CL312", severity)] * bool(severity)
    name = call.partition("(")[0]
    assert findings(CONFIG + f"if hasattr(config, '{name}'):\n    config.{call}\n", target) == []
    typed = f"from paddle.inference import Config\ndef f(c: Config):\n    c.{call}\n"
    assert len(findings(typed, target)) == bool(severity)


def test_names_that_the_target_does_not_give() -> None:
    old = "import paddle\nout = results['save_infer_model/scale_0.tmp_0']\n"
    (finding,) = findings(old)
    assert (finding.rule, "fetch_name_0" in finding.message) == ("CL313", True)
    assert findings(old, "2.6.2") == []
    new = "import paddle\nout = results['fetch_name_1']\n"
    assert findings(new) == []
    (finding,) = findings(new, "2.6.2")
    assert "save_infer_model/scale_1.tmp_0" in finding.message
    parameter = "import paddle\nm = paddle.jit.load(p)\nw = weights['linear_0.w_0']\n"
    (finding,) = findings(parameter)
    assert "linear_0.w_0_0" in finding.message
    assert findings(parameter.replace("jit.load", "load")) == []


def test_names_of_packages() -> None:
    text = "import paddle\nstrategy = paddle.static.ExecutionStrategy()\n"
    assert [f.rule for f in findings(text)] == ["CL314"]
    assert findings(text, "2.6.2") == []
    guarded = (
        "import paddle\ntry:\n    s = paddle.static.ExecutionStrategy()\nexcept Exception: pass\n"
    )
    assert findings(guarded) == []


def test_every_name_that_a_package_lacks_somewhere_is_looked_for() -> None:
    names = [use for use in uses().answers if use.startswith("paddle.")]
    assert len(names) > 10
    for name in names:
        absent = next(c for c in uses().columns if uses().answer(name, c) == "-")
        if absent.endswith("pir") or absent.startswith("2"):
            text = f"import paddle\nx = {name}\n"
            assert [f.rule for f in findings(text, absent.partition(" ")[0])] == ["CL314"]


def test_every_release_was_asked() -> None:
    asked = {column.partition(" ")[0] for column in uses().columns}
    assert asked == set(MEASURED)


def test_what_to_write_instead_is_known_to_go() -> None:
    """The forms that INSTEAD recommends were tried on every PIR program."""
    table = uses()
    recommended = [use for use in table.answers if use.startswith("instead")]
    assert len(recommended) >= 10
    for use in recommended:
        for column in table.columns:
            if column.endswith("pir"):
                assert table.answer(use, column) == "", (use, column)
    for use in INSTEAD:
        key = use.replace("paddle.static.", "static.") if use.endswith("()") else use
        assert key in table.answers, use
