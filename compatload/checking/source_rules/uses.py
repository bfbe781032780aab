"""CL311–CL314: uses of loaded programs, layers and predictors that the target does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from packaging.version import Version

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import PythonValues
from compatload.checking.reach import Reach
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.source_rules.flags import legacy_asked
from compatload.checking.source_rules.imports import works_with_paddle
from compatload.checking.source_rules.paddle_objects import MADE, Objects
from compatload.checking.source_rules.uses_table import INSTEAD, Uses, uses
from compatload.checking.target import Target

TRIGGERS = (
    # What makes the things whose uses are looked at, names of outputs, and what CL314 knows.
    re.compile(
        rb"load_inference_model|safe_create_predictor|jit\.load|jit import|safe_load|"
        rb"paddle\.inference|paddle import[^\n]*inference|main_program|startup_program|"
        rb"static\.Program|CompiledProgram|serialize_program|normalize_program|"
        rb"import[^\n]*\bProgram\b|save_infer_model/|fetch_name_\d|"
        rb"ExecutionStrategy|MetaTensor|json_to_pdmodel|pir_translated_layer|pir_io|io_utils|"
        rb"jit\.(?:marker|profiler|utils)|python_op|register_op"
    ),
)
_FIRST_WITH_PIR = Version("3.0")
# Whose uses depend on the kind of program that Paddle makes, not on the file that is read.
_OF_PROGRAMS = frozenset({"Program", "Block", "Operator", "Variable"})
_TOLD_BY_OTHERS = frozenset({"Config.enable_memory_optim()"})  # CL310
# Functions that were asked, by the name that the table has for them.
_FUNCTIONS = {
    "paddle.static.CompiledProgram": "static.CompiledProgram()",
    "paddle.static.serialize_program": "static.serialize_program()",
    "paddle.static.deserialize_program": "static.deserialize_program()",
    "paddle.static.Program.parse_from_string": "Program.parse_from_string()",
}
_PACKAGES = ("paddle.static.", "paddle.inference.", "paddle.jit.")
# Names of outputs as 2.6 and as 3.x give them, and names of parameters.
_OUTPUT_OF_2 = re.compile(r"^save_infer_model/scale_(\d+)\.tmp_\d+$")
_OUTPUT_OF_3 = re.compile(r"^fetch_name_(\d+)$")
_PARAMETER_OF_2 = re.compile(r"^[a-z]\w*_\d+\.[wb]_\d+$")


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    if not works_with_paddle(source):
        return
    reach = Reach(source, target)
    table = uses()
    pir = target.version >= _FIRST_WITH_PIR and not legacy_asked(source, reach.values)
    column = f"{target.measured} {'pir' if pir else 'legacy'}"
    yield from _names(source, target, pir)
    yield from _functions(source, target, reach, table, column)
    if not any(reference.name in MADE for reference in source.references()):
        return
    objects = Objects(source)
    told: set[int] = set()
    for node, kind, call, scope in objects.uses():
        for use in _keys(kind, node, call, reach.values, scope):
            failure = table.failure(use, column)
            if failure is None or use in _TOLD_BY_OTHERS:
                continue
            guarded = reach.caught(node, "AttributeError") or reach.asked_for(node, node.attr)
            if guarded or id(node) in told:
                continue
            told.add(id(node))
            yield _finding(source, node, target, use, failure, column, table)
            break


def _keys(
    kind: str, node: ast.Attribute, call: ast.Call | None, values: PythonValues, scope: Scope
) -> Iterator[str]:
    """The names that a use may have in the table, the closest first."""
    use = f"{kind}.{node.attr}"
    if call is not None:
        for keyword in call.keywords:
            if values.of(keyword.value, scope) is True:
                yield f"{use}({keyword.arg}=True)"
        yield f"{use}()"
    yield use


def _finding(
    source: PythonSource,
    node: ast.expr,
    target: Target,
    use: str,
    failure: str,
    column: str,
    table: Uses,
) -> Finding:
    kind = use.partition(".")[0]
    about = "of a PIR program" if kind in _OF_PROGRAMS and column.endswith("pir") else ""
    what = f"{use} {about}".strip()
    if failure == "":
        message = f"{target} has no {what}, as {table.elsewhere(use)} has."
    else:
        message = f"{what} fails on {target}: {failure.rstrip('.')}."
    other = column.replace("pir", "legacy")
    by_file = kind not in (*_OF_PROGRAMS, "static") and table.failure(use, other) is None
    if by_file:
        message = f"{use} fails on {target} if the program is a .json file: {failure.rstrip('.')}."
    return found(
        "CL311" if kind in _OF_PROGRAMS or kind == "static" else "CL312",
        source,
        node,
        target,
        message,
        severity="warning" if by_file else "error",
        action=INSTEAD.get(use),
    )


def _functions(
    source: PythonSource, target: Target, reach: Reach, table: Uses, column: str
) -> Iterator[Finding]:
    """Functions and classes of Paddle that the target does not have, or that fail there."""
    called = {id(call.func): call for call, _ in source.calls}
    for reference in source.references():
        name = reference.name
        call = called.get(id(reference.node))
        if name in _FUNCTIONS and (call is None or _takes_graph(call)):
            continue
        use = _FUNCTIONS.get(name, name if name.startswith(_PACKAGES) else "")
        failure = table.failure(use, column) if use else None
        if failure is None:
            continue
        node, last = reference.node, name.rpartition(".")[2]
        if reach.caught(node, "AttributeError", "ImportError") or reach.asked_for(node, last):
            continue
        if use == name:
            yield found(
                "CL314",
                source,
                node,
                target,
                f"{target} has no {name}, as {table.elsewhere(use)} has.",
            )
        else:
            yield _finding(source, node, target, use, failure, column, table)


def _takes_graph(call: ast.Call) -> bool:
    """``CompiledProgram(graph)``: what is made of a graph is none of a program's business."""
    first = call.args[0] if call.args else None
    return getattr(first, "attr", getattr(first, "id", "")).lower().endswith("graph")


def _names(source: PythonSource, target: Target, pir: bool) -> Iterator[Finding]:
    """Texts that are names of outputs or parameters as another release gives them."""
    layers = any(r.name in ("paddle.jit.load", "paddle.jit.api.load") for r in source.references())
    for node, _ in source.strings:
        text = str(node.value)
        old, new = _OUTPUT_OF_2.match(text), _OUTPUT_OF_3.match(text)
        if old is not None and pir:
            other = f"the output of the same model, saved by {target}, is fetch_name_{old[1]}"
        elif new is not None and not pir:
            other = f"the output of a legacy program is save_infer_model/scale_{new[1]}.tmp_0"
        elif layers and pir and _PARAMETER_OF_2.match(text) is not None:
            other = f"in a layer that {target} loads, a parameter of that name is {text}_0"
        else:
            continue
        if applies("CL313", target):
            yield found("CL313", source, node, target, f"{text!r}: {other}.")
