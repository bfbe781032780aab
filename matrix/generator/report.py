"""What came of a search: lines for people, ``generated.json``, ``docs/generated.md``."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from matrix.generator import causes
from matrix.generator.causes import CAUSES, Failure, cause
from matrix.generator.coverage import Coverage, coverage, untried
from matrix.generator.searching import APIS, Search
from matrix.markdown import table
from matrix.pool import ROOT
from matrix.results import RESULTS

COUNTS = RESULTS / "generated.json"
PAGE = ROOT / "docs/generated.md"


def line(failure: Failure, name: str, search: Search) -> str:
    """One failure in one line, and its model in another."""
    load = failure.load
    where = f"{load.saver} → {load.loader} {load.api}"
    head = f"{failure.cause} ({len(failure.numbers)}): {where}: {failure.said}"
    rules = " ".join((*search.results[load].steps, *search.results[load].rules))
    return f"{head}  [{rules}; Paddle alone: {failure.abroad}]\n    {name}"


def write(
    search: Search,
    failures: Sequence[Failure],
    least: Mapping[Failure, str],
    counts: Mapping[str, int],
) -> None:
    """Put this search beside those of other seeds, and draw the page anew."""
    known = seeds()
    known[str(search.seed)] = summary(search, failures, least, counts)
    text = json.dumps(known, indent=1, ensure_ascii=False)
    COUNTS.write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(page(known), encoding="utf-8")


def seeds() -> dict[str, Any]:
    """What the committed report tells, by seed."""
    return json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}


def summary(
    search: Search,
    failures: Sequence[Failure],
    least: Mapping[Failure, str],
    counts: Mapping[str, int],
) -> dict[str, Any]:
    made = [model for model in search.models.values() if not model.refused]
    refused = Counter(_kind(m.refused) for m in search.models.values() if m.refused)
    pairs: dict[str, dict[str, dict[str, int]]] = {}
    for load in search.results:
        if load.caller == "compatload":
            by_api = pairs.setdefault(f"{load.saver} → {load.loader}", {})
            whose = by_api.setdefault(load.api, dict.fromkeys(CAUSES, 0))
            whose[cause(load, search.results)] += 1
    return {
        "when": time.strftime("%Y-%m-%d", time.gmtime()),
        "releases": list(search.environments),
        "loads a model": search.loads,
        "numbers drawn": len(search.models),
        "models": len(made),
        "functions": len({model.function for model in made}),
        "functions drawn": len({m.function for m in search.models.values() if m.function}),
        "no model": dict(refused.most_common()),
        "loads": {name: counts.get(name, 0) for name in CAUSES},
        "pairs": pairs,
        "failures": [
            {
                "cause": one.cause,
                "models": len(one.numbers),
                "where": f"{one.load.saver} → {one.load.loader} {one.load.api}",
                "said": one.said,
                "Paddle alone": one.abroad,
                "model": least.get(one) or search.models[one.load.saver, one.load.number].name,
            }
            for one in failures
        ],
        "operators": {one.format: _counted(one) for one in coverage(search)},
    }


def _kind(refused: str) -> str:
    if refused == "made before":
        return "made before"
    if refused.startswith("died"):
        return "Paddle died while it was made"
    return "no arguments fitted" if refused.startswith("NoModelError") else "cannot be saved"


def _counted(one: Coverage) -> dict[str, Any]:
    return {
        "known": one.known,
        "share": round(one.share, 4),
        "tried": {name: dict(sorted(ways.items())) for name, ways in sorted(one.ways.items())},
        "not tried": {why: list(names) for why, names in sorted(one.absent.items())},
    }


def page(known: Mapping[str, Any]) -> str:
    """The page of all seeds."""
    parts = [HEAD]
    parts += ["## All seeds together", _of_all([*known.values()])]
    for seed, one in known.items():
        parts += [f"## Seed {seed}", _of_seed(seed, one)]
    return "\n\n".join(parts) + "\n"


def _of_all(several: Sequence[Mapping[str, Any]]) -> str:
    """What was tried by any of them."""
    models = sum(one["models"] for one in several)
    lines = [f"{models:,} models. Operators tried:"]
    for kind, left in untried(several).items():
        tried = {name for one in several for name in one["operators"][kind]["tried"]}
        share = len(tried) / max(1, len(tried) + len(left))
        lines.append(
            f"{kind}: {len(tried)}, {share:.1%} of those that a function makes and a CPU runs. "
            f"Not yet: {', '.join(f'`{name}`' for name in left)}."
        )
    return "\n\n".join(lines)


HEAD = """# Models that nobody thought of

Written by `python -m matrix.generate --report`. Each model is drawn from the signatures of Paddle's
public functions (values by the names of parameters), put into a dress (alone, between layers, in a
branch, in a loop, twice, behind a mask, assigned into a constant …), saved in a way (layer,
function, several methods, `save_inference_model`, `skip_prune_program`, AMP O1, legacy program of
3.x), loaded in ways drawn for it and run at each size and again. Models with one structure count
once. A load counts as right only if shapes, dtypes, order, NaN and numbers are those of the eager
layer."""


def _of_seed(seed: str, one: Mapping[str, Any]) -> str:
    loads = one["loads"]
    blamed = sum(loads.values()) - loads[causes.AT_HOME]
    share = loads[causes.RIGHT] / max(1, blamed)
    lines = [
        f"{one['when']}: {one['models']:,} distinct models of {one['functions']} functions, from "
        f"{one['numbers drawn']:,} numbers on {', '.join(one['releases'])}; "
        f"{sum(loads.values()):,} loads, of those that Paddle gets right at home "
        f"{share:.2%} right.",
        "No model came of: "
        + ", ".join(f"{count:,} {why}" for why, count in one["no model"].items())
        + ".",
        table(("what came of a load", "loads"), [(k, f"{n:,}") for k, n in loads.items()]),
        table(("saver → loader", *APIS), _pairs(one["pairs"])),
        "Right of those that Paddle itself gets right at home.",
    ]
    if one["failures"]:
        rows = [
            (f["cause"], str(f["models"]), f["where"], f"`{f['said'][:140]}`", f["Paddle alone"])
            for f in one["failures"]
        ]
        head = ("cause", "models", "first seen", "said", "Paddle alone there")
        lines += [
            "What fails, the least models in `matrix/results/generated.json`:",
            table(head, rows),
        ]
    for kind, counted in one["operators"].items():
        why = ", ".join(f"{len(names)} {text}" for text, names in counted["not tried"].items())
        lines.append(
            f"Operators, {kind}: {len(counted['tried'])} of {counted['known']} tried; "
            f"not tried: {why}."
        )
    return "\n\n".join(lines)


def _pairs(pairs: Mapping[str, Any]) -> list[tuple[str, ...]]:
    rows = []
    for pair, by_api in sorted(pairs.items()):
        cells = []
        for api in APIS:
            counts = by_api.get(api, {})
            total = sum(counts.values()) - counts.get(causes.AT_HOME, 0)
            cells.append(f"{counts[causes.RIGHT]}/{total}" if total else "")
        rows.append((pair, *cells))
    return rows
