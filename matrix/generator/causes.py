"""Whose failure it is, and which failures are one."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from compatload import errors
from matrix.cells import Result
from matrix.generator.searching import Load, Model, Search

RIGHT = "right"
REFUSED = "refused by name"
AT_HOME = "Paddle alone fails at home"
WRONG = "compatload: silently wrong"
DEAD = "compatload: dead or hanging"
UNDOCUMENTED = "compatload: undocumented error"
FAILS = (WRONG, DEAD, UNDOCUMENTED)
CAUSES = (RIGHT, REFUSED, AT_HOME, *FAILS)


# A predictor of Paddle's own wants a file of parameters, be there none (CL210): its layer tells.
NO_FILE = "Load operator fail to open file"
# Of some dtypes and ranks no handle of a predictor takes or gives arrays.
NOT_CARRIED = (
    "The type of data we are trying to retrieve",
    "_copy_from_cpu_bind(): incompatible",
    "len() of unsized object",
)


@dataclass(frozen=True)
class Failure:
    """Loads that fail alike, one of which stands for all.

    ``abroad``: what Paddle alone makes of it in the loader's release.
    """

    cause: str
    said: str
    load: Load
    abroad: str
    numbers: tuple[tuple[str, int], ...]


def is_refused(result: Result) -> bool:
    """Whether compatload said so, in an error of its own, before anything was loaded."""
    kind = (result.error or "").partition(":")[0]
    own = inspect.isclass(known := getattr(errors, kind, None))
    return not result.steps and own and issubclass(known, errors.CompatLoadError)


def cause(load: Load, results: Mapping[Load, Result]) -> str:
    """Whose failure that load is; what Paddle does at home has been found out before."""
    result = results[load]
    if result.outcome == "ok":
        return RIGHT
    home = results.get(at_home(load))
    if home is not None and NO_FILE in (home.error or ""):
        if any(one in (result.error or "") for one in NOT_CARRIED):
            return AT_HOME
        home = results.get(replace(at_home(load), api="jit"))
    if home is not None and home.outcome != "ok":
        return AT_HOME
    if is_refused(result):
        return REFUSED
    return {"wrong": WRONG, "error": UNDOCUMENTED}.get(result.outcome, DEAD)


def at_home(load: Load) -> Load:
    """The same model in its own release, loaded by Paddle's own call."""
    return replace(load, loader=load.saver, caller="paddle")


def abroad(load: Load) -> Load:
    """The same load by Paddle's own call."""
    return replace(load, caller="paddle")


def ask_paddle(search: Search) -> None:
    """Have Paddle alone load what compatload failed with, at home; abroad what it gets right
    there."""
    failed = [
        load
        for load, one in search.results.items()
        if one.outcome != "ok" and load.caller == "compatload"
    ]
    home = {at_home(load) for load in failed}
    search.load(sorted(home - search.results.keys()))
    layers = {
        replace(load, api="jit") for load in home if NO_FILE in (search.results[load].error or "")
    }
    search.load(sorted(layers - search.results.keys()))
    blamed = {abroad(load) for load in failed if cause(load, search.results) != AT_HOME}
    search.load(sorted(blamed - search.results.keys()))


_NUMBER = re.compile(r"\d+(\.\d+)?")


def groups(search: Search) -> list[Failure]:
    """What compatload is to blame for, by what is said and by the function; the largest first."""
    found: dict[tuple[str, ...], list[Load]] = {}
    for load, result in sorted(search.results.items()):
        whose = cause(load, search.results) if load.caller == "compatload" else RIGHT
        if whose in FAILS or whose == REFUSED:
            model = search.models[load.saver, load.number]
            found.setdefault((whose, *_likeness(load, result, model)), []).append(load)
    several = [
        Failure(
            cause=whose,
            said=said(search.results[loads[0]]),
            load=loads[0],
            abroad=search.results[abroad(loads[0])].outcome,
            numbers=tuple(sorted({(one.saver, one.number) for one in loads})),
        )
        for (whose, *_), loads in found.items()
    ]
    return sorted(several, key=lambda one: (-CAUSES.index(one.cause), -len(one.numbers)))


def _likeness(load: Load, result: Result, model: Model) -> tuple[str, ...]:
    if result.outcome == "wrong" or not result.error:
        return (model.description.calls[-1].function, load.saver[:1], load.api)
    return (_NUMBER.sub("N", result.error)[:100],)


def said(result: Result) -> str:
    """One line of what came of it."""
    return result.error or f"{result.outcome} by {result.difference}"
