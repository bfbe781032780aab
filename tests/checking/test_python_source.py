"""What names stand for, and files that are no Python."""

from __future__ import annotations

import pytest

from compatload.checking.python_source import PythonSource, UnparsableError, decoded


def names(text: str) -> list[str]:
    return [reference.name for reference in PythonSource("a.py", text.encode()).references()]


@pytest.mark.parametrize(
    "text",
    [
        "import paddle\npaddle.jit.load(p)",
        "import paddle as pd\npd.jit.load(p)",
        "import paddle.jit\npaddle.jit.load(p)",
        "import paddle.jit as j\nj.load(p)",
        "from paddle import jit\njit.load(p)",
        "from paddle.jit import load\nload(p)",
        "from paddle.jit import load as l\nl(p)",
        "def f():\n    from paddle.jit import load\n    load(p)",
        "try:\n    import paddle\nexcept ImportError:\n    paddle = None\npaddle.jit.load(p)",
        "def f():\n    paddle.jit.load(p)\nimport paddle",
        "import paddle\nclass A:\n    load = 1\n    def m(self):\n        paddle.jit.load(p)",
        "import paddle\nx = [paddle.jit.load(p) for p in ps]",
    ],
)
def test_every_way_to_import_resolves(text: str) -> None:
    assert "paddle.jit.load" in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "paddle.jit.load(p)",
        "from .paddle import jit\njit.load(p)",
        "from . import paddle\npaddle.jit.load(p)",
        "def paddle(): pass\npaddle.jit.load(p)",
        "import paddle\ndef f(paddle):\n    paddle.jit.load(p)",
        "import torch as paddle\npaddle.jit.load(p)",
        "class A:\n    from paddle.jit import load\n    def m(self):\n        load(p)",
        "import paddle\nf(paddle).jit.load(p)",
        "import paddle\npaddle.jit.load = mine",
    ],
)
def test_what_is_something_else_does_not(text: str) -> None:
    assert "paddle.jit.load" not in names(text)


def test_a_chain_counts_once_and_whole() -> None:
    assert names("import paddle\nx = paddle.jit.load") == ["paddle.jit.load"]


def test_docstrings_are_no_strings() -> None:
    source = PythonSource("a.py", b'"""m"""\ndef f():\n    """f"""\n    return "r"\n')
    assert [node.value for node, _ in source.strings] == ["r"]


def test_columns_count_characters() -> None:
    source = PythonSource("a.py", "import paddle\nä = 'ü'; x = paddle.jit.load\n".encode())
    (reference,) = source.references()
    assert source.position(reference.node) == {
        "line": 2,
        "column": 14,
        "end_line": 2,
        "end_column": 29,
    }


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"def f(:\n", r"no Python 3\.\d+ \(.* in line 1\)"),
        (b"print 'two'\n", "no Python"),
        (b"x = '\xff'\n", "no Python"),
        (b"# coding: no-such\nx = 1\n", "no Python"),
        (b"(" * 5000, "no Python|cannot be parsed"),
        (b"-" * 100_000 + b"1", "no Python|cannot be parsed"),
    ],
)
def test_what_is_no_python_is_said_shortly(data: bytes, says: str) -> None:
    with pytest.raises(UnparsableError, match=says):
        PythonSource("a.py", data)


def test_declared_encodings_are_kept() -> None:
    assert decoded(b"# coding: latin-1\nx = '\xfc'\n").endswith("'ü'\n")
    source = PythonSource("a.py", b"# coding: latin-1\nimport paddle; '\xfc'; paddle.jit.load\n")
    assert [r.name for r in source.references()] == ["paddle.jit.load"]
    with pytest.raises(UnparsableError):
        decoded(b"# coding: no-such\n")
