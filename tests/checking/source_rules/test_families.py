"""CL301–CL310: code that has the trouble, and code that only looks like it."""

from __future__ import annotations

import textwrap

import pytest

from compatload.checking.finding import Finding, Skipped
from compatload.checking.sources import check_source
from compatload.checking.target import parse_target
from compatload.faults.sources import SOURCE_RULES


def findings(text: str, target: str = "3.3.1") -> list[Finding]:
    result = check_source("a.py", textwrap.dedent(text).encode(), parse_target(target))
    assert not isinstance(result, Skipped), result
    return result


def found(text: str, target: str = "3.3.1") -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.line) for finding in findings(text, target)]


CASES = {
    "environ after import": (
        "import os, paddle\nos.environ['FLAGS_enable_pir_api'] = '0'\n",
        [("CL301", 2)],
    ),
    "setdefault after import": (
        "import os\nimport paddle\nos.environ.setdefault('FLAGS_enable_pir_api', '0')\n",
        [("CL301", 3)],
    ),
    "update after import": (
        "import os\nimport paddle\nos.environ.update(FLAGS_enable_pir_api='0')\n",
        [("CL301", 3)],
    ),
    "putenv after import": (
        "from os import putenv\nimport paddle\nputenv('FLAGS_enable_pir_api', '0')\n",
        [("CL301", 3)],
    ),
    "after a package that imports paddle": (
        "from os import environ\nfrom paddleocr import PaddleOCR\n"
        "environ['FLAGS_enable_pir_api'] = '0'\n",
        [("CL301", 3)],
    ),
    "in a function, paddle imported by the module": (
        "import os\ndef f():\n    os.environ['FLAGS_enable_pir_api'] = '0'\nimport paddle\n",
        [("CL301", 3)],
    ),
    "environ before import": (
        "import os\nos.environ['FLAGS_enable_pir_api'] = '0'\nimport paddle\n",
        [],
    ),
    "environ before an import inside the function": (
        "import os\ndef f():\n    os.environ['FLAGS_enable_pir_api'] = '0'\n    import paddle\n",
        [],
    ),
    "another flag": ("import os, paddle\nos.environ['FLAGS_check_nan_inf'] = '1'\n", []),
    "the flag is read": ("import os, paddle\nx = os.environ['FLAGS_enable_pir_api']\n", []),
    "set_flags": (
        "import paddle\npaddle.set_flags({'FLAGS_enable_pir_api': 0})\n",
        [("CL302", 2)],
    ),
    "set_flags of another": ("import paddle\npaddle.set_flags({'FLAGS_cudnn': 0})\n", []),
    "set_flags of a dict's name": (
        "import paddle\nflags = {'FLAGS_enable_pir_api': 0}\npaddle.set_flags(flags)\n",
        [("CL302", 3)],
    ),
    "a constant's name": (
        "import os, paddle\nNAME = 'FLAGS_enable_pir_api'\ndef f():\n    os.environ[NAME] = '0'\n",
        [("CL301", 4)],
    ),
    "update with a dict's name": (
        "import os, paddle\nD = dict(FLAGS_enable_pir_api='0')\nos.environ.update(D)\n",
        [("CL301", 3)],
    ),
    "a file that never imports paddle": ("p = 'a/inference.pdmodel'\n", []),
    "paddle by another package": (
        "from ppdet.core import load\np = 'a/inference.pdmodel'\n",
        [("CL303", 2)],
    ),
    "a .json of something else": (
        "import paddle\ndef f(d):\n    return d + '/labels.json', d + '/inference.pdmodel'\n",
        [("CL303", 3)],
    ),
    "both programs known by name": (
        "import paddle\ndef f(d):\n    return d + '/net.json', d + '/net.pdmodel'\n",
        [],
    ),
    "a suffix": ("import paddle\np = prefix + '.pdmodel'\n", [("CL303", 2)]),
    "in an f-string": ("import paddle\np = f'{d}/m.pdmodel'\n", [("CL303", 2)]),
    "a name of 1.x": (
        "import paddle, os\np = os.path.join(d, '__model__')\n",
        [("CL303", 2)],
    ),
    "prose": ("import paddle\nprint('no .pdmodel in here')\n", []),
    "a docstring": ("'''x.pdmodel'''\nimport paddle\n", []),
    "both formats known": (
        "import paddle\ndef f(p):\n    for s in ('.json', '.pdmodel'):\n        g(p + s)\n",
        [],
    ),
    "a legacy program that Paddle is asked for": (
        "import paddle\ndef guard():\n    return paddle.pir_utils.DygraphOldIrGuard\n"
        "def f(d):\n    with guard()():\n        paddle.jit.save(d, 'a/m')\n"
        "    return 'a/m.pdmodel'\n",
        [],
    ),
    "legacy programs by the flag": (
        "import os\nos.environ['FLAGS_enable_pir_api'] = '0'\nimport paddle\np = 'a.pdmodel'\n",
        [],
    ),
    "a legacy program of somebody's store": ("import paddle\np = 'bos://b/m.pdmodel'\n", []),
    "directory and prefix": (
        "from paddle.inference import Config\nc = Config(d, 'inference')\n",
        [("CL304", 2)],
    ),
    "directory and a variable prefix": (
        "import paddle.inference as pi\nc = pi.Config(d, model_prefix)\n",
        [("CL304", 2)],
    ),
    "star import": (
        "from paddle.inference import *\nc = Config(d, 'inference')\n",
        [("CL304", 2)],
    ),
    "set_model": (
        "from paddle.inference import Config\nc = Config()\nc.set_model(d, 'inference')\n",
        [("CL304", 3)],
    ),
    "two files": (
        "from paddle.inference import Config\n"
        "Config(d + '/a.json', d + '/a.pdiparams')\nConfig(a, b)\nConfig(d, '__params__')\n",
        [],
    ),
    "a Config of one's own": ("import paddle\nclass Config: pass\nConfig(d, 'x')\n", []),
    "loaders": (
        "import paddle\nfrom paddle.static import load_inference_model\n"
        "from paddle.inference import create_predictor as cp\n"
        "a = paddle.jit.load(p)\nb = load_inference_model(p, e)\nc = cp(q)\n",
        [("CL305", 4), ("CL306", 5), ("CL307", 6)],
    ),
    "loaders that are not": (
        "import paddle, torch\na = torch.jit.load(p)\nb = paddle.load(p)\nc = self.jit.load(p)\n",
        [],
    ),
    "a version as text": (
        "import paddle\nif paddle.__version__ >= '2.10': pass\n",
        [("CL308", 2)],
    ),
    "a version as text, turned around": (
        "from paddle import __version__ as v\nok = '3.0' <= v\n",
        [("CL308", 2)],
    ),
    "equal versions": ("import paddle\nif paddle.__version__ == '2.6.2': pass\n", []),
    "versions as such": (
        "import paddle\nfrom packaging.version import Version\n"
        "ok = Version(paddle.__version__) >= Version('2.10')\n",
        [],
    ),
    "another version": ("import paddle, numpy\nok = numpy.__version__ >= '2.0'\n", []),
    "import fluid": ("import paddle.fluid as fluid\nfluid.layers.fc(x)\n", [("CL309", 1)]),
    "from paddle import fluid": ("from paddle import fluid\n", [("CL309", 1)]),
    "fluid reached through paddle": (
        "import paddle\nx = paddle.fluid.layers.fc(y)\n",
        [("CL309", 2)],
    ),
    "fluid where paddle.base is not": (
        "try:\n    from paddle import base\nexcept ImportError:\n    from paddle import fluid\n",
        [],
    ),
    "fluid, and none where it is not": (
        "try:\n    import paddle.fluid as fluid\nexcept Exception:\n    fluid = None\n",
        [],
    ),
    "fluid, and another failure caught": (
        "try:\n    import paddle.fluid as fluid\nexcept ValueError:\n    fluid = None\n",
        [("CL309", 2)],
    ),
    "fluid after hasattr": (
        "import paddle\nif hasattr(paddle, 'fluid'):\n    x = paddle.fluid.layers.fc(y)\n",
        [],
    ),
    "fluid in an annotation that nobody evaluates": (
        "from __future__ import annotations\nimport paddle\n"
        "def f(x: paddle.fluid.core.Tensor) -> paddle.fluid.core.Tensor: ...\n",
        [],
    ),
    "fluid in an annotation": (
        "import paddle\ndef f(x) -> list[paddle.fluid.core.Tensor]: ...\n",
        [("CL309", 2)],
    ),
    "fluid for type checkers": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import paddle.fluid\n",
        [],
    ),
    "fluid where another module says that it is there": (
        "from machine import _HAS_FLUID\ndef f():\n    if _HAS_FLUID:\n"
        "        from paddle import fluid\n",
        [],
    ),
    "fluid for a release that another module tells": (
        "from common import get_paddle_version\npd_ver = get_paddle_version()\n"
        "if pd_ver == 185:\n    import paddle.fluid as fluid\n",
        [],
    ),
    "a fluid of one's own": ("import paddle\nfrom .fluid import flow\nfluid = 3\n", []),
    "memory optimisation": (
        "from paddle.inference import Config\nc = Config(a, b)\nc.enable_memory_optim()\n",
        [("CL310", 3)],
    ),
    "memory optimisation with the new executor": (
        "from paddle.inference import Config\nc = Config(a, b)\nc.enable_new_executor()\n"
        "c.enable_memory_optim()\n",
        [],
    ),
    "memory optimisation of a legacy program": (
        "from paddle.inference import Config\nimport os\nNAME = 'inference.pdmodel'\n"
        "c = Config(os.path.join(a, NAME), b)\nc.enable_memory_optim()\n",
        [("CL303", 3)],
    ),
    "memory optimisation of another Config": (
        "from paddle.inference import Config\nc = Config(a, b)\nd = Config(a, b)\n"
        "d.enable_new_executor()\nc.enable_memory_optim()\n",
        [("CL310", 5)],
    ),
    "memory optimisation of one of two legacy programs": (
        "from paddle.inference import Config\nclass P:\n    def a(self, d):\n"
        "        self.f = d + '.pdmodel'\n        if d:\n            self.f = '%s/__model__' % d\n"
        "        self.c = Config(self.f, d)\n    def b(self):\n"
        "        self.c.enable_memory_optim()\n",
        [("CL303", 4), ("CL303", 6)],
    ),
    "memory optimisation of a legacy program, as what is none has left": (
        "from paddle.inference import Config\ndef f(p, d):\n    if d:\n        p = d\n"
        "        return run(p)\n    p = d + '.pdmodel'\n    c = Config(p, d)\n"
        "    c.enable_memory_optim()\n",
        [("CL303", 6)],
    ),
    "memory optimisation of a legacy program or another": (
        "from paddle.inference import Config\ndef f(p, d):\n    if d:\n"
        "        p = '{}.pdmodel'.format(d)\n    if p:\n        p = d\n"
        "    c = Config(p, d)\n    c.enable_memory_optim()\n",
        [("CL303", 4), ("CL310", 8)],
    ),
    "memory optimisation switched off": (
        "from paddle.inference import Config\nc = Config(a, b)\nc.enable_memory_optim(False)\n",
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    text, expected = CASES[name]
    assert found(text) == expected


TOLD_IN_TEST_USES = ("CL311", "CL312", "CL313", "CL314")
GUARDS = [
    "if Version(paddle.__version__) {old}:",
    "if packaging.version.parse(paddle.__version__) {old}:",
    "if Version(paddle.__version__.split('+')[0]) {old} and use:",
    "if tuple(map(int, paddle.__version__.split('.')[:2])) {old_tuple}:",
    "if int(paddle.__version__.split('.')[0]) < 3:",
    "if int(paddle.version.major) < 3:",
    "if paddle.__version__.startswith('2.'):",
    "if [int(n) for n in paddle.__version__.split('.')] < [3]:",
    "if not NEW:",
    "if not new():",
    "if not paddle.framework.use_pir_api():",
    "if Version(paddle.__version__).major < 3:",
]


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("use", ["c = Config(d, 'inference')", "m = 'a.pdmodel'"])
def test_what_the_target_never_runs(guard: str, use: str) -> None:
    guard = guard.format(old="< Version('3.0')", old_tuple="< (3, 0)")
    text = f"""\
import packaging.version
import paddle
from packaging.version import Version
from paddle.inference import Config
NEW = Version(paddle.__version__) >= Version('3.0')
def new():
    return Version(paddle.__version__).major >= 3
def f(d, use):
    {guard}
        {use}
"""
    assert found(text) == []
    assert found(text.replace(guard, guard.replace("if ", "if not (")[:-1] + "):")) != []
    assert found(text.replace(guard, "if use:")) != []
    if "Config" in use:
        assert found(text, "2.6.2") != []


def test_what_comes_after_a_return_that_the_target_takes() -> None:
    text = """\
import paddle
from packaging.version import Version
def name(d):
    if Version(paddle.__version__) >= Version('3.0'):
        return d + '/inference.onnx'
    return d + '/inference.pdmodel'
"""
    assert found(text) == []
    assert found(text.replace(">=", "<")) == [("CL303", 6)]


def test_every_rule_is_shown_by_a_case() -> None:
    shown = {rule for _, expected in CASES.values() for rule, _ in expected}
    assert shown == {rule.id for rule in SOURCE_RULES} - set(TOLD_IN_TEST_USES)


@pytest.mark.parametrize("rule", ["CL301", "CL302", "CL303", "CL305", "CL306", "CL310"])
def test_what_3_x_brought_is_silent_for_2_6(rule: str) -> None:
    for text, _ in CASES.values():
        assert rule not in {name for name, _ in found(text, "2.6.2")}


def test_config_with_a_prefix_fails_for_certain_on_2_6() -> None:
    text = "from paddle.inference import Config\nc = Config(d, 'inference')\n"
    assert [f.severity.value for f in findings(text, "2.6.2")] == ["error"]
    assert [f.severity.value for f in findings(text, "3.0.0")] == ["warning"]


@pytest.mark.parametrize(
    ("expression", "target", "severity"),
    [
        ("paddle.__version__ >= '3.2.0'", "3.3.1", "note"),
        ("paddle.__version__ >= '3.2.0'", "3.10.0", "error"),
        ("'2.10' <= paddle.__version__", "2.6.2", "error"),
        ("'2.6' > paddle.__version__", "10.0", "error"),
        ("paddle.__version__ < 'develop'", "3.3.1", "note"),
    ],
)
def test_versions_are_compared_for_the_target(expression: str, target: str, severity: str) -> None:
    (finding,) = findings(f"import paddle\nok = {expression}\n", target)
    assert finding.severity.value == severity
    assert finding.fixable == ("develop" not in expression)


def test_a_position_covers_the_whole_expression() -> None:
    (finding,) = findings("import paddle\nm = paddle.jit.load(p)\n")
    assert (finding.line, finding.column, finding.end_line, finding.end_column) == (2, 5, 2, 20)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"import paddle\n\0.pdmodel", "binary, not a Python source"),
        (b"import paddle.fluid\nx = (\n", "no Python"),
        (b"# paddle fluid\n" + b"x" * (5 << 20), "larger than 4 MiB"),
        (b"import paddle.fluid\nx = " + b"a + " * 20_000 + b"1\n", "cannot be parsed"),
    ],
)
def test_what_cannot_be_judged_is_skipped_with_the_reason(data: bytes, reason: str) -> None:
    result = check_source("a.py", data, parse_target("3.3.1"))
    assert isinstance(result, Skipped)
    assert reason in result.reason


def test_a_file_without_paddle_is_not_even_parsed() -> None:
    assert check_source("a.py", b"this is (no Python at all", parse_target("3.3.1")) == []
