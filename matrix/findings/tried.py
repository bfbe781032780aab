"""Carry out what a finding in a package of the registry is about, in the Paddle it is said of.

    python -m matrix.findings.tried SOURCES < FINDINGS > OUTCOMES

``FINDINGS`` and ``OUTCOMES`` are JSON, one object a line. An outcome has ``true`` (does it happen
as the finding says?) and ``happened``. Errors are tried by the statement or expression itself, on
objects that this Paddle makes; warnings by the function that they stand in, as the package has it,
on a model that this Paddle saved (``own_code``). Each runs in a fork: some kill the process.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matrix.findings.trials import FUNCTIONS, Outcome
from matrix.program_uses import Space, fork

_KINDS = {
    "Program": "program",
    "Block": "block",
    "Operator": "op",
    "Variable": "target",
    "Config": "config",
    "Predictor": "predictor",
    "Layer": "layer",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sources", type=Path)
    asked = parser.parse_args()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import paddle  # noqa: F401 - once, for all forks

    with tempfile.TemporaryDirectory() as folder:
        fork(lambda: save_both(folder))
        for line in sys.stdin:
            finding = json.loads(line)
            outcome = fork(lambda f=finding: tried(f, asked.sources, folder))
            hangs = "no answer" in outcome.get("fails", "")
            if hangs and "does not come back" in finding["message"]:
                outcome = {"true": True, "happened": outcome["fails"]}
            elif "fails" in outcome:
                outcome = {"true": False, "happened": f"the trial itself: {outcome['fails']}"}
            out.write(json.dumps({**finding, **outcome}) + "\n")
            out.flush()


def save_both(folder: str) -> str:
    from matrix.program_uses import save

    return save(folder)


def tried(finding: Outcome, sources: Path, folder: str) -> Outcome:
    rule, file = finding["rule"], sources / finding["path"]
    if rule in ("CL309", "CL314"):
        return name_read(finding, file)
    if rule in ("CL311", "CL312"):
        return use_carried_out(finding, file, folder)
    if rule == "CL308":
        return compared(finding, file)
    if rule in ("CL305", "CL306", "CL307"):
        return substituted(rule)
    for (end, function), trial in FUNCTIONS.items():
        here = finding["path"].endswith(end) and _function_at(file, finding["line"]) == function
        if here and trial.rule == rule:
            return trial.carry_out(file, finding["line"])
    return {"true": None, "happened": "nothing was run for it"}


def name_read(finding: Outcome, file: Path) -> Outcome:
    """The import itself, or the name's own text below ``import paddle``."""
    import paddle

    node = _node_at(file, finding)
    known: dict[str, Any] = {"paddle": paddle}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        code = compile(ast.Module([node], []), str(file), "exec")
    else:
        text = finding["message"].rpartition(" has no ")[2].split(", as ")[0].rstrip(".")
        code = compile(ast.parse(text, mode="eval"), str(file), "eval")
    return failing(lambda: eval(code, known), ImportError, AttributeError)  # noqa: S307


def use_carried_out(finding: Outcome, file: Path, folder: str) -> Outcome:
    """The use itself, with its own constants, of a thing that this Paddle loaded."""
    import paddle

    space = Space(folder)
    node = _node_at(file, finding)
    call = _call_of(file, node)
    if finding["message"].startswith("static.CompiledProgram()"):
        return failing(lambda: paddle.static.CompiledProgram(space["program"]), Exception)
    kind = finding["message"].removeprefix(f"{finding['target']} has no ").partition(".")[0]
    assert isinstance(node, ast.Attribute)  # noqa: S101 - CL311 and CL312 stand at such

    def use() -> object:
        if kind == "Variable":  # of a program in the making, as the finding's
            values = [v for op in space["block"].ops for v in op.results()]
            return [getattr(value, node.attr) for value in values]
        read = getattr(space[_KINDS[kind]], node.attr)
        constants = [getattr(a, "value", "x") for a in (call.args if call else ())]
        return read(*constants) if call else read

    return failing(use, Exception)


def compared(finding: Outcome, file: Path) -> Outcome:
    """The comparison as it stands: right for this Paddle, and wrong for a later one."""
    import paddle
    from packaging.version import Version

    node = _node_at(file, finding)
    assert isinstance(node, ast.Compare)  # noqa: S101
    text = ast.unparse(node)
    constant = next(p.value for p in ast.walk(node) if isinstance(p, ast.Constant))
    upwards = isinstance(node.ops[0], (ast.Gt, ast.GtE))
    as_text = eval(text, {"paddle": paddle})  # noqa: S307
    right = Version(paddle.__version__) >= Version(str(constant))
    agrees = as_text == (right if upwards else not right)
    wrong = []
    for later in ("1.10.0", "2.10.0", "3.10.0", "10.0.0"):
        paddle.__version__ = paddle.version.full_version = later
        should = (Version(later) >= Version(str(constant))) is upwards
        if eval(text, {"paddle": paddle}) != should:  # noqa: S307
            wrong.append(later)
    said = f"{text}: right here, wrong for {', '.join(wrong) or 'none'}"
    return {"true": agrees and bool(wrong), "happened": said}


def substituted(rule: str) -> Outcome:
    """compatload's function on a legacy model and on this Paddle's own, where Paddle's stood."""
    import paddle

    import compatload

    root = Path(__file__).parents[2] / "tests" / "fixtures"
    shapes = []
    for release in {"2.6.2": 1, paddle.__version__: 1}:
        model = root / release / "classifier"
        (path,) = {str(p.with_suffix("")) for p in model.glob("*.pdiparams")}
        if rule == "CL305":
            shapes.append(str(type(compatload.safe_load(path)).__name__))
        elif rule == "CL307":
            shapes.append(str(compatload.safe_create_predictor(path).get_input_names()))
        else:
            paddle.enable_static()
            executor = paddle.static.Executor(paddle.CPUPlace())
            shapes.append(str(compatload.safe_load_inference_model(path, executor)[1]))
    return {"true": True, "happened": f"compatload's, on two formats: {', '.join(shapes)}"}


def failing(act: Callable[[], object], *errors: type[BaseException]) -> Outcome:
    try:
        act()
    except errors as error:
        said = [line.strip() for line in str(error).splitlines() if "Error" in line or line]
        named = [line for line in said if line.startswith("(")] or said or [""]
        return {"true": True, "happened": f"{type(error).__name__}: {named[0]}"[:160]}
    return {"true": False, "happened": "it goes"}


def _node_at(file: Path, finding: Outcome) -> ast.AST:
    """The node that begins and ends where the finding does."""
    text = file.read_text("utf-8", "replace").splitlines()
    wanted = (finding["line"], finding["end_line"])
    for node in ast.walk(ast.parse(file.read_bytes())):
        if (getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)) != wanted:
            continue
        begin = len(text[node.lineno - 1].encode()[: node.col_offset].decode()) + 1  # type: ignore[attr-defined]
        end = len(text[node.end_lineno - 1].encode()[: node.end_col_offset].decode()) + 1  # type: ignore[attr-defined]
        if (begin, end) == (finding["column"], finding["end_column"]):
            return node
    raise LookupError(f"no node at {finding['path']}:{finding['line']}")


def _call_of(file: Path, node: ast.AST) -> ast.Call | None:
    """The call whose function stands at the same place, if there is one."""
    for other in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(other, ast.Call) and _place(other.func) == _place(node):
            return other
    return None


def _place(node: ast.AST) -> tuple[int, ...]:
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return tuple(getattr(node, name, 0) for name in names)


def _function_at(file: Path, line: int) -> str:
    """The innermost function around a line."""
    around = [
        node
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else ""


if __name__ == "__main__":
    main()
