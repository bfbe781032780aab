"""What Paddle's translator leaves out of a PIR program, and training it asks for.

Parts of a list are picked one by one (``builtin.slice``), which has no gradient: ``split`` and
``chunk`` end in ``VectorType grad be fulled with zeros should not occur``. What the translator adds
of its own (lists for ``concat``, shapes for ``mul``, the ends of branches) does not say that
gradients pass, and nothing before it is trained, in silence. ``paddle.jit.save`` of 3.x writes one
``builtin.split``, and lets gradients pass where an operand takes some; of a branch it writes one
``if`` of two sides, and a loop of its does not write into what it was handed. Pure Python; seen in
3.0.0 to 3.3.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from compatload.programs.pir_graph import blocks_in, flags, results_of, takes_gradient

_PICK, _SPLIT, _LIST, _PARAMETER = "0.slice", "0.split", "0.t_vec", "p"
_EINSUM, _UNTYPED = "1.einsum", "NULL"
_DATA, _YIELD, _LOOP = "1.data", ".yield", "1.while"
_IF, _SELECT, _CAST, _NOT = "1.if", "1.select_input", "1.cast", "1.logical_not"
# What may stand between two branches that are joined.
_IDLE = frozenset({_CAST, _NOT, "1.full", "1.full_int_array"})
# How often the condition of a loop is read by the loop: as it begins, and as it is written.
_OF_LOOP = 2
_WRITE, _COPY = "1.assign_out_", "1.assign"
_PERSISTS, _STOPS = "persistable", "stop_gradient"


def differentiable(document: dict[str, Any]) -> None:
    """Lets gradients through everything that they pass in a program that 3.x saves."""
    regions = document["program"]["regions"]
    made = [one for block in blocks_in(regions) for one in block["ops"]]
    types = {result["%"]: result["TT"] for one in made for result in results_of(one)}
    present = {one["#"] for one in made}
    numbers = count(max(types, default=0) + 1)
    if _EINSUM in present:
        _split_caches(regions, types, numbers)
    if _PICK in present:
        _split_at_once(regions, types, numbers)
    stopped: dict[int, bool] = {}
    for region in regions:
        _mark(region, stopped)
    if _LOOP in present:
        _hand_on_copies(regions)
    if _SELECT in present:
        _join_branches(regions)


def _split_caches(regions: list[Any], types: dict[int, Any], numbers: Iterator[int]) -> None:
    """Types and parts for the caches of einsum: its gradient follows a null pointer where they
    have no type, and Paddle makes zeros of a list's parts alone."""
    for block in blocks_in(regions):
        kept: list[Any] = []
        for operator in block["ops"]:
            kept.append(operator)
            operands = types.get(operator["I"][0]["%"]) if operator["#"] == _EINSUM else None
            if operands is None or operands["#"] != _LIST:
                continue
            for cache, of_scalars in zip(operator["O"][1:], (True, False)):
                if cache["TT"]["#"] == _UNTYPED:
                    kinds = [_scalar(one) if of_scalars else one for one in operands["D"]]
                    cache["TT"] = {"#": _LIST, "D": kinds}
                kept.append(_split(cache["%"], cache["TT"]["D"], numbers))
        block["ops"] = kept


def _split(whole: int, kinds: Sequence[Any], numbers: Iterator[int]) -> dict[str, Any]:
    results = [{"%": next(numbers), "TT": kind} for kind in kinds]
    return {"#": _SPLIT, "A": [], "I": [{"%": whole}], "O": results, "OA": []}


def _scalar(kind: dict[str, Any]) -> dict[str, Any]:
    element, _, *others = kind["D"]
    return {**kind, "D": [element, [], *others]}


def _split_at_once(regions: list[Any], types: dict[int, Any], numbers: Iterator[int]) -> None:
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
                parts[whole] = _split(whole, kinds, numbers)
                kept.append(parts[whole])
            same[operator["O"][0]["%"]] = parts[whole]["O"][index]["%"]
        block["ops"] = kept
    for block in blocks_in(regions) if same else ():
        for operator in block["ops"]:
            for item in operator.get("I", ()):
                item["%"] = same.get(item["%"], item["%"])


def _mark(region: Any, stopped: dict[int, bool]) -> list[bool]:
    """Of each value that the region yields whether it takes no gradient."""
    yielded: list[bool] = []
    for block in region["blocks"]:
        for operator in block["ops"]:
            results = results_of(operator)
            if operator["#"] == _PARAMETER:
                stopped[results[0]["%"]] = bool(operator["OA"][1])
                continue
            reads = [stopped.get(item["%"], True) for item in operator.get("I", ())]
            if operator["#"].endswith(_YIELD):
                yielded = reads
                continue
            if operator["#"] == _LOOP:
                _tell(operator, _carried(operator["regions"][0], reads[1:], stopped))
            elif inner := [_mark(part, stopped) for part in operator.get("regions", ())]:
                _tell(operator, [all(ends) for ends in zip(*inner)])
            elif results and operator["#"] != _DATA:
                _tell(operator, [all(reads)] * len(results))
            for result, stops in zip(results, _flags(operator)):
                stopped[result["%"]] = stops
    return yielded


def _carried(body: Any, begun: list[bool], stopped: dict[int, bool]) -> list[bool]:
    """Of each value that a loop carries the same: it takes one where any turn yields one."""
    arguments = [one["#"] for one in body["blocks"][0].get("args", ())]
    while True:
        stopped.update(zip(arguments, begun))
        _, *ends = _mark(body, stopped)
        met = [one and other for one, other in zip(begun, ends)]
        if met == begun:
            return met
        begun = met


def _hand_on_copies(regions: list[Any]) -> None:
    """What a turn of a loop hands on is written into what it was handed, which has no gradient
    there (``The variable middle_0 should exist``): a loop that carries one hands on a copy."""
    blocks = [*blocks_in(regions)]
    read = _reads(blocks)
    loops = (made for one in blocks for made in one["ops"] if made["#"] == _LOOP)
    for loop in loops:
        if all(_flags(loop)):
            continue
        body, condition = loop["regions"][0]["blocks"][0], loop["I"][0]["%"]
        handed = {one["#"] for one in body["args"]}
        if read[condition] == _OF_LOOP:  # else something reads what was written into it
            handed.add(condition)
        for operator in body["ops"]:
            if operator["#"] == _WRITE and operator["I"][1]["%"] in handed:
                operator.update({"#": _COPY, "I": operator["I"][:1]})


def _reads(blocks: Sequence[Any]) -> Counter[int]:
    """How often each value is read."""
    return Counter(item["%"] for one in blocks for made in one["ops"] for item in made.get("I", ()))


def _join_branches(regions: list[Any]) -> None:
    """The translator writes an ``if`` for each branch, and chooses of their results by
    ``select_input``, which has no gradient. As 3.x writes it, one ``if`` yields either."""
    blocks = [*blocks_in(regions)]
    read = _reads(blocks)
    for block in reversed(blocks):  # those within first
        made = {r["%"]: one for one in block["ops"] for r in results_of(one)}
        pairs: dict[tuple[int, int], list[Any]] = {}
        for operator in block["ops"]:
            if operator["#"] == _SELECT and not all(_flags(operator)):
                otherwise, then = (made.get(one["%"]) for one in operator["I"][1:])
                if then and otherwise and _are_branches(operator, then, otherwise, made):
                    pairs.setdefault((id(then), id(otherwise)), []).append(operator)
        for selects in pairs.values():
            otherwise, then = (made[one["%"]] for one in selects[0]["I"][1:])
            if _are_joinable(block["ops"], selects, then, otherwise, read):
                block["ops"] = _joined(block["ops"], selects, then, otherwise)


def _are_branches(select: Any, then: Any, otherwise: Any, made: dict[int, Any]) -> bool:
    """Whether they are the two sides of the condition that it chooses by."""
    if not then["#"] == otherwise["#"] == _IF:
        return False
    mask, reverse = (made.get(one["I"][0]["%"]) for one in (select, otherwise))
    if not (mask and mask["#"] == _CAST and reverse and reverse["#"] == _NOT):
        return False
    same: bool = then["I"][0] == mask["I"][0] == reverse["I"][0]
    return same


def _are_joinable(
    operators: list[Any], selects: list[Any], then: Any, otherwise: Any, read: Counter[int]
) -> bool:
    """Whether nothing else reads a result of theirs, and nothing happens between them."""
    chosen = Counter(item["%"] for one in selects for item in one["I"][1:])
    results = [r["%"] for one in (then, otherwise) for r in results_of(one)]
    places = [place for place, one in enumerate(operators) if one is then or one is otherwise]
    between = operators[places[0] + 1 : places[1]]
    return (
        all(read[one] == chosen[one] for one in results)
        and operators[places[0]] is then
        and all(one["#"] in _IDLE for one in between)
    )


def _joined(operators: list[Any], selects: list[Any], then: Any, otherwise: Any) -> list[Any]:
    """The operators with one ``if`` in the place of the latter of the two."""
    regions = []
    for branch, place in ((then, 2), (otherwise, 1)):
        (body,) = branch["regions"][0]["blocks"]
        known = dict(zip((one["%"] for one in results_of(branch)), body["ops"][-1]["I"]))
        ends = {**body["ops"][-1], "I": [known[one["I"][place]["%"]] for one in selects]}
        kept = {**body, "ops": [*body["ops"][:-1], ends]}
        regions.append({**branch["regions"][0], "blocks": [kept]})
    results = [results_of(one)[0] for one in selects]
    told = flags(_STOPS, *(all(_flags(one)) for one in selects))
    whole = {**otherwise, "A": [], "I": then["I"], "O": results, "OA": [told], "regions": regions}
    gone = {id(one) for one in (then, *selects)}
    return [whole if one is otherwise else one for one in operators if id(one) not in gone]


def _flags(operator: Any) -> list[bool]:
    told = (one["AT"]["D"] for one in operator.get("OA", ()) if one["N"] == _STOPS)
    return [bool(one["D"]) for one in next(told, ())]


def _tell(operator: Any, stops: list[bool]) -> None:
    """Says it of every result; what the legacy program has stopped stays so."""
    own = _flags(operator) if _named(operator) else []
    # Integers take none, and loops and branches refuse a condition that does.
    whole = [not takes_gradient(one["TT"]) for one in results_of(operator)]
    own += [False] * (len(whole) - len(own))
    told = [any(one) for one in zip(stops, own, whole)]
    others = [one for one in operator.get("OA", ()) if one["N"] != _STOPS]
    operator["OA"] = [*others, flags(_STOPS, *told)]


def _named(operator: Any) -> bool:
    """Whether its results are variables of the legacy program, of which the flags tell."""
    return any(one["N"] == _PERSISTS for one in operator.get("OA", ()))
