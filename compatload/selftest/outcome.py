"""What is tried, what came of it, and what follows from that. Pure: no Paddle, no files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from packaging.version import InvalidVersion, Version

from compatload.faults.catalogue import load_rules
from compatload.faults.matching import may_hold
from compatload.frozen import frozen
from compatload.plan import Api
from compatload.runtime.model import Fact, Runtime
from compatload.runtime.release import measured_as
from compatload.selftest.bundle import Bundle, Known, Network

DEFAULT = "default"
OK = "ok"
# Of Paddle's own call in the matrix: it came out otherwise in another run.
VARIES = "varies"
PADDLE, OWN = "paddle", "compatload"


@frozen
class Cell:
    """One network through one loader; ``config`` names what a predictor is asked for."""

    network: str
    api: Api
    config: str
    caller: str


@frozen
class CellRun:
    """``outcome``: ok, wrong, error, crash or hang; ``rules`` are those of compatload's plan;
    ``times``: in how many processes it was seen."""

    outcome: str
    told: str = ""
    rules: tuple[str, ...] = ()
    times: int = 1


Results = Mapping[Cell, CellRun]


@frozen
class CellDifference:
    """A cell that came out otherwise than in the measured release that stands for this one."""

    cell: Cell
    expected: str
    found: CellRun


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


def elsewhere(runtime: Runtime) -> frozenset[str]:
    """Faults of other CPUs and builds: what shows them elsewhere says nothing about this one."""
    measurable = (rule for rule in load_rules() if rule.measurable)
    return frozenset(rule.id for rule in measurable if not may_hold(rule, runtime))


def differences(
    bundle: Bundle, results: Results, release: str, others: Collection[str] = ()
) -> tuple[CellDifference, ...]:
    """Where this Paddle does otherwise than that release did; not what shows ``others``, faults
    that are not of this machine."""
    found = []
    networks = {network.id: network for network in bundle.networks}
    for cell, ran in results.items():
        expected = _expected(networks[cell.network], cell, release, others)
        if expected is not None and sort_of(expected) != sort_of(ran.outcome):
            found.append(CellDifference(cell, expected, ran))
    return tuple(found)


def sort_of(outcome: str) -> str:
    """What counts as the same: memory that is written over comes to a crash or a hang."""
    return "crash" if outcome == "hang" else outcome


def compared(bundle: Bundle, results: Results, release: str, others: Collection[str] = ()) -> int:
    """How many cells that release's results have, too."""
    networks = {network.id: network for network in bundle.networks}
    expected = (_expected(networks[cell.network], cell, release, others) for cell in results)
    return sum(one is not None for one in expected)


def _expected(network: Network, cell: Cell, release: str, others: Collection[str]) -> str | None:
    known = network.known.get(release, {}).get(cell.api.value)
    if known is None or cell.config != DEFAULT:
        return None
    if cell.caller == OWN:
        return known.own
    if known.alone == VARIES or any(rule in others for rule in known.shows):
        return None
    return known.alone


def facts(
    bundle: Bundle, results: Results, release: str, device: str, others: Collection[str] = ()
) -> tuple[Fact, ...]:
    """Faults that are here, and faults that the release has and this Paddle has not.

    A fault is gone where Paddle's own calls were right twice on every network that showed it
    there; it is here where one fails and compatload's, which follows its rule, is right. Of any
    other, such as one with a network that was not tried, or one of ``others``, nothing is said.
    """
    measurable = [rule.id for rule in load_rules() if rule.measurable and rule.id not in others]
    present = {rule: _is_present(rule, bundle, results) for rule in measurable}
    return tuple(
        Fact(rule, device, present[rule])
        for rule in measurable
        if present[rule] or _is_gone(witnesses(rule, bundle, release), results, _ENOUGH)
    )


def to_repeat(
    bundle: Bundle, results: Results, release: str, others: Collection[str] = ()
) -> tuple[Cell, ...]:
    """What has to be right once more before a fault is taken to be gone."""
    measurable = (rule.id for rule in load_rules() if rule.measurable and rule.id not in others)
    shown = (witnesses(rule, bundle, release) for rule in measurable)
    doubtful = (cell for cells in shown if _is_gone(cells, results, 1) for cell in cells)
    return tuple(dict.fromkeys(cell for cell in doubtful if results[cell].times < _ENOUGH))


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


def witnesses(rule: str, bundle: Bundle, release: str) -> tuple[Cell, ...]:
    """Where Paddle's own calls showed a fault in that release."""
    return tuple(
        Cell(network.id, Api(api), DEFAULT, PADDLE)
        for network in bundle.networks
        for api, known in network.known.get(release, {}).items()
        if _shows(known, rule)
    )


def _is_gone(shown: Sequence[Cell], results: Results, times: int) -> bool:
    ran = [results.get(cell, _UNTRIED) for cell in shown]
    return bool(ran) and all(one.outcome == OK and one.times >= times for one in ran)


_UNTRIED = CellRun("untried")
# In so many processes it was right where a fault is taken to be gone: memory that is written over
# does no harm now and then.
_ENOUGH = 2


def _alone(cell: Cell) -> Cell:
    return Cell(cell.network, cell.api, cell.config, PADDLE)


def _shows(known: Known, rule: str) -> bool:
    return known.alone not in (OK, VARIES) and known.own == OK and rule in known.shows


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
