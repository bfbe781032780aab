"""What Paddle's translator leaves out of a PIR program, and training it asks for.

Parts of a list are picked one by one (``builtin.slice``), which has no gradient: ``split`` and
``chunk`` end in ``VectorType grad be fulled with zeros should not occur``. What the translator adds
of its own (lists for ``concat``, shapes for ``mul``, the ends of branches) does not say that
gradients pass, and nothing before it is trained, in silence. ``paddle.jit.save`` of 3.x writes one
``builtin.split``, and lets gradients pass where an operand takes some. Pure Python; seen in 3.0.0
to 3.3.1.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.pir_graph import blocks_in, flags, results_of

_PICK, _SPLIT, _LIST, _PARAMETER = "0.slice", "0.split", "0.t_vec", "p"
_EINSUM, _UNTYPED = "1.einsum", "NULL"
_DATA, _YIELD = "1.data", ".yield"
_PERSISTS, _STOPS = "persistable", "stop_gradient"


def differentiable(document: dict[str, Any]) -> None:
    """Lets gradients through everything that they pass in a program that 3.x saves."""
    regions = document["program"]["regions"]
    made = (one for block in blocks_in(regions) for one in block["ops"])
    types = {result["%"]: result["TT"] for one in made for result in results_of(one)}
    _type_caches(regions, types)
    _split_at_once(regions, types)
    stopped: dict[int, bool] = {}
    for region in regions:
        _mark(region, stopped)


def _type_caches(regions: list[Any], types: dict[int, Any]) -> None:
    """The gradient of einsum follows a null pointer where its caches have no type."""
    for block in blocks_in(regions):
        for operator in block["ops"]:
            operands = types.get(operator["I"][0]["%"]) if operator["#"] == _EINSUM else None
            if operands is None or operands["#"] != _LIST:
                continue
            for result, of_scalars in zip(operator["O"][1:], (True, False)):
                if result["TT"]["#"] == _UNTYPED:
                    kinds = [_scalar(one) if of_scalars else one for one in operands["D"]]
                    result["TT"] = {"#": _LIST, "D": kinds}


def _scalar(kind: dict[str, Any]) -> dict[str, Any]:
    element, _, *others = kind["D"]
    return {**kind, "D": [element, [], *others]}


def _split_at_once(regions: list[Any], types: dict[int, Any]) -> None:
    last = max(types, default=0)
    same: dict[int, int] = {}
    for block in blocks_in(regions):
        parts: dict[int, dict[str, Any]] = {}
        kept: list[Any] = []
        for operator in block["ops"]:
            whole = operator["I"][0]["%"] if operator["#"] == _PICK else 0
            kinds = types[whole]["D"] if types.get(whole, {}).get("#") == _LIST else ()
            index = operator["A"][0]["AT"]["D"] if operator["#"] == _PICK else 0
            if not 0 <= index < len(kinds):
                kept.append(operator)
                continue
            if whole not in parts:
                numbers = range(last + 1, last + 1 + len(kinds))
                last += len(kinds)
                results = [{"%": number, "TT": kind} for number, kind in zip(numbers, kinds)]
                parts[whole] = {"#": _SPLIT, "A": [], "I": [{"%": whole}], "O": results, "OA": []}
                kept.append(parts[whole])
            same[operator["O"][0]["%"]] = parts[whole]["O"][index]["%"]
        block["ops"] = kept
    for block in blocks_in(regions) if same else ():
        for operator in block["ops"]:
            for item in operator.get("I", ()):
                item["%"] = same.get(item["%"], item["%"])


def _mark(region: Any, stopped: dict[int, bool]) -> bool:
    """Whether everything that the region yields takes no gradient."""
    yielded = True
    for block in region["blocks"]:
        for operator in block["ops"]:
            results = results_of(operator)
            if operator["#"] == _PARAMETER:
                stopped[results[0]["%"]] = bool(operator["OA"][1])
                continue
            inner = operator.get("regions", ())
            for body in (one for part in inner for one in part["blocks"]):
                # What a loop carries may take one from its second turn on.
                carried = (*body.get("args", ()), *body.get("kwargs", ()))
                stopped.update((one["#"], False) for one in carried)
            ends = all(tuple(_mark(part, stopped) for part in inner))
            reads = all(stopped.get(item["%"], True) for item in operator.get("I", ()))
            if operator["#"].endswith(_YIELD):
                yielded = reads
            elif results and operator["#"] != _DATA:
                _tell(operator, reads and ends)
            for result, stops in zip(results, _flags(operator)):
                stopped[result["%"]] = stops
    return yielded


def _flags(operator: Any) -> list[bool]:
    told = (one["AT"]["D"] for one in operator.get("OA", ()) if one["N"] == _STOPS)
    return [bool(one["D"]) for one in next(told, ())]


def _tell(operator: Any, stops: bool) -> None:
    """Says it of every result; what the legacy program has stopped stays so."""
    own = _flags(operator) if _named(operator) else []
    missing = len(results_of(operator)) - len(own)
    told = [stops or one for one in (*own, *(False for _ in range(missing)))]
    others = [one for one in operator.get("OA", ()) if one["N"] != _STOPS]
    operator["OA"] = [*others, flags(_STOPS, *told)]


def _named(operator: Any) -> bool:
    """Whether its results are variables of the legacy program, of which the flags tell."""
    return any(one["N"] == _PERSISTS for one in operator.get("OA", ()))
