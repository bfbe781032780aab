"""CL4xx: the check sees in the limitation programs exactly what was measured to fail."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path

import pytest

from compatload.checking.finding import Finding, Skipped
from compatload.checking.sources import check_source
from compatload.checking.target import parse_target
from compatload.releases import MEASURED

ROOT = Path(__file__).parents[3]
CASES = sorted((ROOT / "matrix" / "limitations" / "cases").glob("row*.py"))
MEASUREMENTS = json.loads((ROOT / "matrix" / "results" / "limitations.json").read_text("utf-8"))


def findings(text: str | bytes, target: str = "3.3.1") -> list[Finding]:
    data = text if isinstance(text, bytes) else textwrap.dedent(text).encode()
    result = check_source("a.py", data, parse_target(target))
    assert not isinstance(result, Skipped), result
    return [finding for finding in result if finding.rule.startswith("CL4")]


def failing_exports(release: str) -> set[tuple[str, str]]:
    """(row, form) of every program that was not ok when exported from a full graph."""
    return {
        (cell["row"], cell["form"])
        for cell in MEASUREMENTS["releases"][release]["cells"]
        if cell["stage"] == "export" and cell["full_graph"] and cell["outcome"] != "ok"
    }


def reported_classes(release: str) -> set[tuple[str, str]]:
    """(row, class) that the check reports something in; functions count for who calls them."""
    reported = set()
    for path in CASES:
        data = path.read_bytes()
        spans = {
            node.name: (node.lineno, node.end_lineno or 0)
            for node in ast.parse(data).body
            if isinstance(node, ast.ClassDef)
        }
        for finding in findings(data, release):
            inside = [
                name
                for name, (first, last) in spans.items()
                if first <= (finding.line or 0) <= last
            ]
            # Row 19: the trouble stands in a function that SaidNotConverted calls.
            reported.add((path.stem, inside[0] if inside else "SaidNotConverted"))
    return reported


@pytest.mark.parametrize("release", MEASURED)
def test_reported_is_what_was_measured_to_fail(release: str) -> None:
    assert reported_classes(release) == failing_exports(release)


def as_function(decorator: str, body: str) -> str:
    return f"import paddle\n{decorator}\ndef f(x, n):\n{textwrap.indent(body, '    ')}"


LOOP = "i = paddle.zeros([])\nwhile i < n:\n    del items[0]\n    i = i + 1\nreturn items[0]\n"
BODY = "items = [x, x + 1]\n" + LOOP


@pytest.mark.parametrize(
    ("decorator", "severity"),
    [
        ("@paddle.jit.to_static(full_graph=True)", "error"),
        ("@paddle.jit.to_static", "warning"),
        ("@paddle.jit.to_static(full_graph=False)", "warning"),
        ("@paddle.jit.to_static(input_spec=s)", "warning"),
    ],
)
def test_severity_follows_how_a_function_is_converted(decorator: str, severity: str) -> None:
    (finding,) = findings(as_function(decorator, BODY))
    assert (finding.rule, finding.severity.value) == ("CL407", severity)


def test_functions_given_to_to_static_are_converted() -> None:
    text = as_function("", BODY) + "g = paddle.jit.to_static(f, full_graph=True)\n"
    assert [f.severity.value for f in findings(text)] == ["error"]


@pytest.mark.parametrize("decorator", ["", "@paddle.jit.not_to_static", "@paddle.no_grad()"])
def test_other_functions_are_not(decorator: str) -> None:
    assert findings(as_function(decorator, BODY)) == []


LAYER = """
import paddle
from paddle import nn

class Base(nn.Layer):
    pass

class Net(Base):
    def forward(self, x):
        return self.helper(x)

    def helper(self, x):
        self.linear.set_state_dict({})
        return x
"""


def test_forward_of_layers_and_the_methods_that_it_calls() -> None:
    (finding,) = findings(LAYER)
    assert (finding.rule, finding.severity.value) == ("CL413", "note")
    assert findings(LAYER.replace("nn.Layer", "object")) == []
    assert findings(LAYER.replace("return self.helper(x)", "return x")) == []


@pytest.mark.parametrize(
    ("signature", "rules"),
    [
        ("def forward(layer, x)", ["CL441"]),
        ("def forward(self, x)", []),
        ("@staticmethod\n        def forward(x)", []),
    ],
)
def test_the_layer_is_told_by_its_name(signature: str, rules: list[str]) -> None:
    text = f"""
    import paddle

    class Model(paddle.nn.Layer):
        {signature}:
            return x * 2.0
    """
    assert [finding.rule for finding in findings(text)] == rules


def test_a_file_that_exports_makes_it_a_warning() -> None:
    (finding,) = findings(LAYER + "paddle.jit.save(Net(), 'p')\n")
    assert finding.severity.value == "warning"


@pytest.mark.parametrize(
    "body",
    [
        # a loop over numbers, lists, or what perhaps is no Tensor
        "items = [x]\nfor i in range(3):\n    del items[0]\nreturn x\n",
        "items = [x]\nfor i in range(x.shape[0]):\n    del items[0]\nreturn x\n",
        "items = [x]\nfor item in n:\n    del items[0]\nreturn x\n",
        "items = [x]\nwhile len(items) > 1:\n    del items[0]\nreturn x\n",
        # a branch that is decided while converting
        "if n is None:\n    y = False\nelse:\n    y = x * 2\nreturn y\n",
        "if paddle.in_dynamic_mode():\n    y = False\nelse:\n    y = x * 2\nreturn y\n",
        "if isinstance(n, list):\n    y = False\nelse:\n    y = x * 2\nreturn y\n",
        # numpy on what is no Tensor
        "import numpy as np\nreturn x * float(np.sort([1, 2])[0])\n",
        # a sum that is not the output, or not of an input and a number
        "y = x + 1\nreturn y * 2\n",
        "return paddle.tanh(x) + 1\n",
        "x = paddle.tanh(x)\nreturn x + 1\n",
        "x += 1\nx = paddle.tanh(x)\nreturn x\n",
        "return x * 1.0 + 0.5\n",
        "return paddle.scale(x, 2.0, bias=0.5)\n",
        # new Tensors in the places of a list
        "items = [x, x]\nfor i in range(x.sum()):\n    items[0] = items[0] * 2\nreturn items[0]\n",
        # what is decided while converting
        "if len(x.shape) != 2:\n    raise ValueError\nreturn x * 2\n",
        "if n is None:\n    raise ValueError\nreturn x * 2\n",
        "if n == 'sum':\n    return x, x\nreturn x * 2\n",
        "y = None\nif n == 'a':\n    y = x * 2\nif y is None:\n    y = x * 3\nreturn y\n",
        "if x.ndim > 1:\n    x = x.sum(0)\nreturn x * 2\n",
        # branches that agree
        "y = x * 2\nif x.mean() > 0:\n    y = x.sum(0, keepdim=True)\nreturn y * 2\n",
        "y = None\nif x.mean() > 0:\n    y = x * 2\nelse:\n    y = x * 3\nreturn y * 2\n",
        # lists of Tensors, and numbers
        "parts = paddle.split(x, 2)\nreturn paddle.add_n([a * b for a, b in zip(parts, n)])\n",
        "return paddle.stack([item * 2 for item in n])\n",
        "return paddle.stack([x * i for i in range(3)])\n",
        "import math\nreturn x * math.sqrt(n)\n",
        "for i in range(len(n)):\n    if n[i] > 3:\n        return x * 2\nreturn x * 3\n",
        "if isinstance(n, (list, paddle.Tensor)):\n    return x * 2\nreturn x * 3\n",
    ],
)
def test_what_only_looks_like_it(body: str) -> None:
    assert findings(as_function("@paddle.jit.to_static(full_graph=True)", body)) == []


BASE = """
import paddle

class Base(paddle.nn.Layer):
    def forward(self, x):
        return x + 1.0

class Net(Base):
    def forward(self, x):
        return super(Net, self).forward(x) * 2

paddle.jit.save(Net(), "p")
"""


def test_a_forward_that_only_super_reaches_gives_no_output() -> None:
    assert findings(BASE) == []
    assert [f.rule for f in findings(BASE.replace("Net()", "Base()"))] == ["CL421"]
    assert [f.rule for f in findings(BASE.replace("(Base)", "(paddle.nn.Layer)"))] == ["CL421"]


SIZED = """
import math
import paddle

class Net(paddle.nn.Layer):
    def forward(self, x):
        b, c = x.shape
        return x * math.sqrt(c) / math.sqrt(b)

paddle.jit.save(Net(), "p", input_spec=[paddle.static.InputSpec([SHAPE, 4])])
"""


def test_free_dimensions_are_those_of_the_input_specs() -> None:
    (finding,) = findings(SIZED.replace("SHAPE", "None"))
    assert (finding.rule, finding.severity.value) == ("CL429", "warning")
    assert findings(SIZED.replace("SHAPE", "2")) == []


@pytest.mark.parametrize(
    ("counted", "rules"),
    [
        ("int(b * 0.7)", ["CL439"]),
        ("int(b / 1.3) + 1", ["CL439"]),
        ("int(b * 0.5)", []),
        ("int(c * 0.7)", []),
        ("max(b - 2, 1)", ["CL440"]),
        ("min(1, b // 2)", ["CL440"]),
        ("round(b / 2)", ["CL440"]),
        ("divmod(b, 2)[0]", ["CL440"]),
        ("any([x.max() > 1, x.min() < -1])", ["CL440"]),
        ("all(x.max() > one for one in range(3))", ["CL440"]),
        ("max(c - 2, 1)", []),
        ("any([c > 1, c < 3])", []),
    ],
)
def test_what_python_counts_with_a_free_dimension(counted: str, rules: list[str]) -> None:
    text = SIZED.replace("SHAPE", "None").replace("math.sqrt(c) / math.sqrt(b)", counted)
    assert [finding.rule for finding in findings(text)] == rules


def test_a_number_among_the_parameters_is_no_tensor() -> None:
    text = """
    import paddle

    @paddle.jit.to_static(full_graph=True)
    def f(x, n: int, m=3):
        items = [x]
        for i in range(n):
            del items[0]
        while i < m:
            del items[0]
        return x
    """
    assert findings(text) == []


def test_main_program_needs_a_full_graph() -> None:
    text = "import paddle\ns = paddle.jit.to_static(m{})\np = s.forward.main_program\n"
    assert [(f.rule, f.line) for f in findings(text.format(""))] == [("CL420", 3)]
    assert findings(text.format(", full_graph=True")) == []


def test_a_release_that_was_not_measured_is_judged_by_the_one_before() -> None:
    text = as_function("@paddle.jit.to_static(full_graph=True)", BODY)
    (finding,) = findings(text, "3.10.0")
    assert "paddle 3.10.0 (3.3.1 measured)" in finding.message


DEFAULTS = """
import paddle

def scaled(x, *, scale=2.0, shift):
    return x * scale + shift

class Net(paddle.nn.Layer):
    def forward(self, x):
        return {call}

    def method(self, x, *, scale=2.0):
        return x * scale
"""


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        ("scaled(x, shift=x)", True),
        ("[scaled(y, shift=x) for y in x]", True),
        ("self.method(x)", True),
        ("scaled(x, shift=x, scale=3.0)", False),
        ("scaled(x, **self.settings)", False),
        ("self.method(x, scale=1.0)", False),
        ("x.method(x)", False),
        ("self.scaled(x)", False),
    ],
)
def test_keyword_only_defaults_of_what_is_called(call: str, reported: bool) -> None:
    found = findings(DEFAULTS.replace("{call}", call), "3.1.1")
    assert [f.rule for f in found] == ["CL423"] * reported
    assert findings(DEFAULTS.replace("{call}", call), "3.2.0") == []


@pytest.mark.parametrize("changed", ["@decorated\ndef scaled", "def scaled_otherwise"])
def test_functions_that_are_something_else_keep_their_defaults(changed: str) -> None:
    text = DEFAULTS.replace("{call}", "scaled(x, shift=x)").replace("def scaled", changed)
    assert findings(text, "3.1.1") == []


def test_keyword_only_defaults_of_a_converted_function() -> None:
    text = (
        "import paddle\n@paddle.jit.to_static(full_graph=True)\ndef f(x, *, n=2):\n    return x\n"
    )
    (finding,) = findings(text, "3.0.0")
    assert (finding.rule, finding.line, finding.severity.value) == ("CL423", 3, "error")
    assert findings(text.replace("n=2", "n"), "3.0.0") == []
