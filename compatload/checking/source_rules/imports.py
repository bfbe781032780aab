"""Whether a file has paddle: by itself, or with a package that brings it."""

from __future__ import annotations

from compatload.checking.python_source import PythonSource, Scope

# Packages that import paddle while they are imported (read in their wheels on PyPI).
IMPORT_PADDLE = frozenset(
    {"paddle", "paddleocr", "paddlex", "paddlenlp", "ppdet", "ppcls", "paddleclas", "paddleseg"}
)
# These work on Paddle's models and need not import it at once.
_WORK_WITH_PADDLE = IMPORT_PADDLE | {
    *("compatload", "rapidocr_paddle", "paddlespeech", "paddlehub", "ppdiffusers", "paddlemix"),
    *("ppgan", "paddlevideo", "paddlets", "ppsci", "pgl", "paddleslim", "paddle_serving_client"),
    *(
        "paddle2onnx",
        "x2paddle",
        "fastdeploy",
        "ppocr",
        "pplsp",
        "paddlelite",
        "paddle_serving_app",
    ),
}


def works_with_paddle(source: PythonSource) -> bool:
    """Whether the file imports paddle, or a package that belongs to it, anywhere."""
    return any(
        statement.name.partition(".")[0] in _WORK_WITH_PADDLE for statement in source.imports
    )


def import_before(source: PythonSource, line: int, scope: Scope) -> int | None:
    """The line of an import of paddle that has run before a line of a scope, or None.

    A module's own imports have run when one of its functions does, wherever they stand.
    """
    for statement in source.imports:
        if statement.name.partition(".")[0] not in IMPORT_PADDLE:
            continue
        if statement.scope is scope and statement.node.lineno < line:
            return statement.node.lineno
        if statement.scope.is_module and not scope.is_module:
            return statement.node.lineno
    return None
