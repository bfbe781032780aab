"""What is asked of every CPU row, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matrix.emulation.cpus import CpuRow
from matrix.emulation.launch import ROOT
from matrix.versions import entries, of_tier

FIXTURES = ROOT / "tests/fixtures"

# Those with a wheel for the CPU.
IMPORT_RELEASES = tuple(
    one.id for one in of_tier("full", entries()) if one.distribution == "paddlepaddle"
)
# Each has fixtures that it saved itself.
LOAD_RELEASES = tuple(one.id for one in of_tier("quick", entries()))
MODELS = ("classifier", "detector", "lstm")
APIS = ("layer", "program", "predictor")


@dataclass(frozen=True)
class Way:
    """How a model is loaded: by whom, under which environment, with which rule left out."""

    name: str
    loader: str
    environment: tuple[tuple[str, str], ...] = ()
    disabled: str | None = None
    apis: tuple[str, ...] = APIS


OWN = Way("paddle", "paddle")
SAFE = Way("compatload", "compatload")
# What shows a rule at work, and what else cures it, on the rows where that matters.
EXTRA_WAYS: Mapping[str, tuple[Way, ...]] = {
    "zhaoxin-without-fma": (
        Way("compatload without CL205", "compatload", disabled="CL205", apis=("predictor",)),
        Way(
            "paddle, ONEDNN_MAX_CPU_ISA=AVX",
            "paddle",
            (("ONEDNN_MAX_CPU_ISA", "AVX"),),
            apis=("predictor",),
        ),
    ),
    # oneDNN held to AVX2 on a newer machine computes what it computes on an AVX2 one.
    "host": (
        Way(
            "paddle, ONEDNN_MAX_CPU_ISA=AVX2",
            "paddle",
            (("ONEDNN_MAX_CPU_ISA", "AVX2"),),
            apis=("predictor",),
        ),
    ),
}


@dataclass(frozen=True)
class Probe:
    """One question. ``model`` is ``"<saved by>/<name>"``; empty fields do not apply."""

    release: str
    task: str
    model: str = ""
    api: str = ""
    way: Way = OWN

    @property
    def key(self) -> str:
        return "|".join((self.release, self.task, self.model, self.api, self.way.name))

    def arguments(self, result: Path, outputs: Path) -> list[str]:
        """The command line of ``probe.py``."""
        head = [str(result), self.task]
        if self.task == "import":
            return head
        model = str(FIXTURES / self.model)
        if self.task == "runtime":
            return [*head, model]
        disable = ["--disable", self.way.disabled] if self.way.disabled else []
        return [*head, model, self.api, self.way.loader, str(outputs), *disable]


def probes(row: CpuRow, models: Sequence[str], releases: Sequence[str]) -> Iterator[Probe]:
    """Every question for one row, the cheap and telling ones first."""
    for release in IMPORT_RELEASES:
        yield Probe(release, "import")
    for release in releases:
        yield Probe(release, "runtime", model=f"{release}/classifier")
    ways = (OWN, SAFE, *EXTRA_WAYS.get(row.name, ()))
    for name in models:
        for release in releases:
            for saver in dict.fromkeys((release, "2.6.2")):
                for api in APIS:
                    for way in ways:
                        if api in way.apis:
                            yield Probe(release, "load", f"{saver}/{name}", api, way)
