"""What is tried, what came of it, and what follows from that. Pure: no Paddle, no files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from packaging.version import InvalidVersion, Version

from compatload.faults.catalogue import load_rules
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.runtime.model import Fact
from compatload.runtime.release import measured_as
from compatload.selftest.bundle import Bundle, Known, Network

DEFAULT = "default"
OK = "ok"
PADDLE, OWN = "paddle", "compatload"


@frozen
class Cell:
    """One network through one loader; ``config`` names what a predictor is asked for."""

    network: str
    api: Api
    config: str
    caller: str


@frozen
class Ran:
    """``outcome``: ok, wrong, error, crash or hang; ``rules`` are those of compatload's plan."""

    outcome: str
    told: str = ""
    rules: tuple[str, ...] = ()


Results = Mapping[Cell, Ran]


@frozen
class Difference:
    """A cell that came out otherwise than in the measured release that stands for this one."""

    cell: Cell
    expected: str
    found: Ran


def cells_of(bundle: Bundle) -> tuple[Cell, ...]:
    """All that is tried: a predictor in every Config, each by both callers."""
    return tuple(
        Cell(network.id, api, config, caller)
        for network in bundle.networks
        for api in network.apis
        for config in (bundle.configs if api is Api.PREDICTOR else (DEFAULT,))
        for caller in (PADDLE, OWN)
    )


def reference(bundle: Bundle, version: str) -> str:
    """The release whose results a version is compared with: the one that it is judged as, else
    the nearest of which the bundle knows."""
    known = sorted({one for network in bundle.networks for one in network.known}, key=Version)
    try:
        judged = Version(measured_as(version))
    except InvalidVersion:
        judged = Version(known[-1])
    return next((one for one in reversed(known) if Version(one) <= judged), known[0])


def differences(bundle: Bundle, results: Results, release: str) -> tuple[Difference, ...]:
    """Where this Paddle does otherwise than that release did."""
    found = []
    networks = {network.id: network for network in bundle.networks}
    for cell, ran in results.items():
        expected = _expected(networks[cell.network], cell, release)
        if expected is not None and _sort(expected) != _sort(ran.outcome):
            found.append(Difference(cell, expected, ran))
    return tuple(found)


def _sort(outcome: str) -> str:
    # Memory that is written over comes to the one or the other, from run to run.
    return "crash" if outcome == "hang" else outcome


def compared(bundle: Bundle, results: Results, release: str) -> int:
    """How many cells that release's results have, too."""
    networks = {network.id: network for network in bundle.networks}
    return sum(_expected(networks[cell.network], cell, release) is not None for cell in results)


def _expected(network: Network, cell: Cell, release: str) -> str | None:
    known = network.known.get(release, {}).get(cell.api.value)
    if known is None or cell.config != DEFAULT:
        return None
    return known.alone if cell.caller == PADDLE else known.own


def facts(bundle: Bundle, results: Results, release: str, device: str) -> tuple[Fact, ...]:
    """Faults that are here, and faults that the release has and this Paddle has not.

    A fault is gone where Paddle's own calls are right on every network that showed it there; it is
    here where one fails and compatload's, which follows its rule, is right. Of any other, such as
    one with a network that was not tried, nothing is said.
    """
    measurable = [rule.id for rule in load_rules() if rule.measurable]
    present = {rule: _is_present(rule, bundle, results) for rule in measurable}
    return tuple(
        Fact(rule, device, present[rule])
        for rule in measurable
        if present[rule] or _is_gone(rule, bundle, results, release)
    )


def suspected(bundle: Bundle, results: Results, device: str) -> tuple[Fact, ...]:
    """Faults of other releases whose networks compatload did not get right here, either: what it
    would do there is worth a try."""
    shown: dict[Cell, set[str]] = {}
    for network in bundle.networks:
        for api, known in (
            (api, one) for apis in network.known.values() for api, one in apis.items()
        ):
            for config in bundle.configs:
                cell = Cell(network.id, Api(api), config, OWN)
                shown.setdefault(cell, set()).update(known.shows)
    failed = failures(results)
    rules = {rule for cell in failed for rule in shown.get(cell, set()) - set(results[cell].rules)}
    return tuple(Fact(rule, device, True) for rule in sorted(rules))


def _is_present(rule: str, bundle: Bundle, results: Results) -> bool:
    return any(
        cell.caller == OWN
        and ran.outcome == OK
        and rule in ran.rules
        and results.get(_alone(cell), _UNTRIED).outcome not in (OK, _UNTRIED.outcome)
        and _showed_anywhere(rule, cell, bundle)
        for cell, ran in results.items()
    )


def _is_gone(rule: str, bundle: Bundle, results: Results, release: str) -> bool:
    witnesses = [
        Cell(network.id, Api(api), DEFAULT, PADDLE)
        for network in bundle.networks
        for api, known in network.known.get(release, {}).items()
        if _shows(known, rule)
    ]
    return bool(witnesses) and all(results.get(cell, _UNTRIED).outcome == OK for cell in witnesses)


_UNTRIED = Ran("untried")


def _alone(cell: Cell) -> Cell:
    return Cell(cell.network, cell.api, cell.config, PADDLE)


def _shows(known: Known, rule: str) -> bool:
    return known.alone != OK and known.own == OK and rule in known.shows


def _showed_anywhere(rule: str, cell: Cell, bundle: Bundle) -> bool:
    """What else makes Paddle's own call fail would be taken for this fault."""
    network = next(one for one in bundle.networks if one.id == cell.network)
    told = [apis.get(cell.api.value) for apis in network.known.values()]
    return cell.config != DEFAULT or any(one and _shows(one, rule) for one in told)


def failures(results: Results, caller: str = OWN) -> tuple[Cell, ...]:
    """The cells of a caller that are not right."""
    return tuple(c for c, ran in results.items() if c.caller == caller and ran.outcome != OK)


def counted(results: Results, cells: Iterable[Cell]) -> tuple[int, int]:
    """How many of the cells are right, and how many were tried."""
    tried = [results[cell].outcome for cell in cells if cell in results]
    return tried.count(OK), len(tried)


def rows(bundle: Bundle, cells: Sequence[Cell]) -> Mapping[tuple[str, str], tuple[Cell, ...]]:
    """The cells by who saved the network and how it is loaded."""
    saved = {one.id: f"{one.saved_by} ({one.format})" for one in bundle.networks}
    found: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for cell in cells:
        how = cell.api.value if cell.config == DEFAULT else f"{cell.api.value}, {cell.config}"
        row = saved[cell.network], how
        found[row] = (*found.get(row, ()), cell)
    return found
