"""Make the bundle of ``compatload selftest`` from the saved zoo and the committed results.

    python -m matrix.selftest_bundle
    python -m matrix.selftest_bundle --varying     the same networks, and what varies by the records

For every fault that the results show (Paddle's own call fails, compatload's is right by its rule),
every release and every loader, the smallest networks that show them all; of a fault without a rule
of its own (a repair of a program, say) the smallest of its file in the zoo; and a row of networks
through the formats, as far as they are saved here or in the bundle by now. Written to
``compatload/selftest/bundle.zip``, the same bytes each time.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from compatload.faults.catalogue import load_rules
from compatload.faults.model import Action
from compatload.runtime.model import Runtime
from compatload.selftest.outcome import DEFAULT, PADDLE, VARIES, elsewhere, sort_of
from matrix.cells import Cell, Result
from matrix.environments import home
from matrix.evidence import FILE as EVIDENCE
from matrix.machines import machines_of
from matrix.named_configs import NAMED, PADDLEX
from matrix.pool import ROOT
from matrix.predictions import compare, own_calls
from matrix.remedies import faults
from matrix.results import RESULTS, read, read_further
from matrix.run import install
from matrix.saved_zoo import networks
from matrix.selftest_records import EMULATED, records
from matrix.versions import entries

BUNDLE = ROOT / "compatload/selftest/bundle.zip"
SAVERS = ("2.6.2", "3.0.0", "3.3.1")
# The networks of the faults that are younger than the full matrix's last run (``matrix.run --full
# --into faults``, and of those that came later).
FAULTS = "faults*"
# What every format is tried with, through every loader.
ROW = ("linear", "conv_batch_norm", "lstm", "if", "softmax")
APIS = {"jit": "layer", "static": "program", "predictor": "predictor"}
LARGEST = 60_000
MAXIMUM = 3_000_000
# So many networks show a fault in a release and a loader, where there are so many.
SHOWN_BY = 2
_DATE = (2020, 1, 1, 0, 0, 0)
_FILES = ("model.json", "model.pdmodel", "model.pdiparams", "model.pdiparams.info", "io.npz")

Name = tuple[str, str]  # saver and network
Shown = tuple[str, str, str]  # rule, loader and API


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="matrix.selftest_bundle",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--varying", action="store_true", help="choose no networks anew")
    if parser.parse_args(arguments).varying:
        return _tell_varying()
    every = read_further(RESULTS / "extra", FAULTS) | read(RESULTS / "full")
    cells = {cell: one for cell, one in every.items() if cell.saver in SAVERS}
    sizes = {name: _size(name) for name in {(cell.saver, cell.model) for cell in cells}}
    shown = _shown(cells, _foretold())
    small = {name: size for name, size in sizes.items() if 0 < size < LARGEST}
    chosen = _chosen(shown, small)
    chosen += _of_other_faults(chosen, _helped(cells), small)
    row = {(saver, name) for saver in SAVERS for name in ROW}
    apis = {name: {api for _, _, api in shown.get(name, ())} or set(APIS) for name in chosen}
    apis.update({name: set(APIS) for name in row})
    described = [
        _described(name, apis[name], cells, shown.get(name, set())) for name in sorted(apis)
    ]
    configs = {name: NAMED[name].calls for name in ("default", PADDLEX)}
    _write({"schema": 1, "configs": configs, "networks": described}, sorted(apis))
    size = BUNDLE.stat().st_size
    told = sum(len(one["apis"]) for one in described)
    print(f"{len(described)} networks, {told} with their loaders, {size} bytes")
    return 0 if size <= MAXIMUM else 1


def _foretold() -> dict[Cell, str | None]:
    """The rule by which each of Paddle's own calls was to fail on the CPU that it was run on."""
    folders = [one.parent for one in sorted((RESULTS / "extra").glob(f"{FAULTS}/run.json"))]
    return {
        one.cell: one.prediction.rule
        for folder in (*folders, RESULTS / "full")
        for one in compare(_failed(read(folder)), machines_of(folder))
    }


def _failed(cells: Mapping[Cell, Result]) -> dict[Cell, Result]:
    return {
        cell: one
        for cell, one in own_calls(cells).items()
        if one.outcome != "ok" and cell.saver in SAVERS
    }


def _shown(
    cells: Mapping[Cell, Result], foretold: Mapping[Cell, str | None]
) -> dict[Name, set[Shown]]:
    """What each network shows: where a rule acted, and a rule that is the only one that could have
    helped, that foretold the failure, or without which the network was seen to fail."""
    measurable = {rule.id for rule in load_rules() if rule.measurable}
    formats = {rule.id for rule in load_rules() if rule.action is Action.CONVERT}
    proven = _proven()
    found: dict[Name, set[Shown]] = defaultdict(set)
    for cell, own in cells.items():
        if cell.caller != "compatload" or own.outcome != "ok":
            continue
        own_call = Cell(cell.saver, cell.model, cell.loader, cell.api, "paddle")
        alone = cells.get(own_call)
        if alone is not None and alone.outcome not in ("ok", "not run"):
            acted = {(f"acted: {rule}", cell.loader, cell.api) for rule in own.rules}
            found[cell.saver, cell.model] |= acted
            helped = measurable.intersection(own.rules)
            if not formats.isdisjoint(own.rules):
                continue  # the format alone keeps Paddle from reading it
            found[cell.saver, cell.model] |= {
                (rule, cell.loader, cell.api)
                for rule in helped
                if len(helped) == 1
                or rule == foretold.get(own_call)
                or (rule, cell.model, cell.api) in proven
            }
    return found


def _proven() -> set[tuple[str, str, str]]:
    """Rule, network and API of the cells that ``matrix.evidence`` has seen fail without it."""
    evidence = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    cells = (
        (rule, one["cell"].split("/")) for rule, told in evidence.items() for one in told["shown"]
    )
    return {(rule, parts[1], parts[3]) for rule, parts in cells}


def _chosen(shown: Mapping[Name, set[Shown]], sizes: Mapping[Name, int]) -> list[Name]:
    """The networks that show the most for their bytes, until all is shown often enough."""
    wanted: dict[Shown, int] = defaultdict(int)
    for name in sizes:
        for one in shown.get(name, ()):
            wanted[one] = min(SHOWN_BY, wanted[one] + 1)
    chosen: list[Name] = []
    left = {name for name in sizes if name in shown}
    while any(wanted.values()):
        new = {name: sum(wanted[one] > 0 for one in shown[name]) for name in left}
        best = max(sorted(left), key=lambda name: new[name] / sizes[name])
        left.remove(best)
        for one in shown[best]:
            wanted[one] = max(0, wanted[one] - 1)
        chosen.append(best)
    return chosen


def _helped(cells: Mapping[Cell, Result]) -> set[Name]:
    """The networks that compatload gets right where Paddle's own call does not."""
    return {
        (cell.saver, cell.model)
        for cell, alone in own_calls(cells).items()
        if alone.outcome not in ("ok", "not run")
        and cells.get(replace(cell, caller="compatload"), alone).outcome == "ok"
    }


def _of_other_faults(
    chosen: Sequence[Name], helped: Collection[Name], sizes: Mapping[Name, int]
) -> list[Name]:
    """The smallest network of each fault of which none is chosen yet."""
    listing = networks(install([one for one in entries() if one.id in SAVERS])[0])
    files = {name: str(listing[name]["file"]) for name in faults(listing)}
    told = {files[network] for _, network in chosen if network in files}
    smallest: dict[str, Name] = {}
    small = (name for name in helped if name in sizes and name[1] in files)
    for name in sorted(small, key=lambda name: (sizes[name], name)):
        smallest.setdefault(files[name[1]], name)
    return sorted(name for file, name in smallest.items() if file not in told)


def _described(
    name: Name, apis: set[str], cells: Mapping[Cell, Result], shown: set[Shown]
) -> dict[str, Any]:
    saver, network = name
    case = _case(name)
    known: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for cell, own in sorted(cells.items()):
        if (cell.saver, cell.model, cell.caller) != (saver, network, "compatload"):
            continue
        alone = cells.get(Cell(saver, network, cell.loader, cell.api, "paddle"))
        if cell.api in apis and alone and "not run" not in (alone.outcome, own.outcome):
            rules = [rule for rule in own.rules if (rule, cell.loader, cell.api) in shown]
            place = cell.loader, f"{saver}/{network}", APIS[cell.api]
            varies = place in _varying() or _is_otherwise(place, alone.outcome, rules)
            told = [VARIES if varies else alone.outcome, own.outcome, sorted(rules)]
            known[cell.loader][APIS[cell.api]] = told
    forward = case["methods"]["forward"]
    return {
        "name": network,
        "saved_by": saver,
        "format": case["format"],
        "sets": case["sets"],
        "inputs": [one["name"] for one in forward["inputs"]],
        "outputs": forward["outputs"],
        "apis": [APIS[api] for api in APIS if api in apis],
        "known": known,
    }


def _is_otherwise(place: tuple[str, str, str], alone: str, rules: Collection[str]) -> bool:
    """Whether a committed record tells otherwise of Paddle's own call, on a CPU of that kind."""
    seen, others = _recorded().get(place, (alone, frozenset[str]()))
    return sort_of(seen) != sort_of(alone) and others.isdisjoint(rules)


def _tell_varying() -> int:
    files = dict(_bundled()[1])
    manifest = json.loads(files.pop("bundle.json"))
    count = 0
    for one in manifest["networks"]:
        for release, apis in one["known"].items():
            for api, told in apis.items():
                place = release, f"{one['saved_by']}/{one['name']}", api
                if told[0] != VARIES and _is_otherwise(place, told[0], told[2]):
                    told[0] = VARIES
                    count += 1
    _write_files(manifest, files)
    print(f"{count} cells vary that did not")
    return 0


@cache
def _recorded() -> Mapping[tuple[str, str, str], tuple[str, frozenset[str]]]:
    """What Paddle's own calls came to in the committed records of the self-test, by release,
    network and loader, and the faults of other CPUs than the record's."""
    runtimes = [
        (record, Runtime.from_dict(record["runtime"]))
        for record in records(RESULTS / "selftest")
        if record["runtime"]["cpu"].get("hypervisor") != EMULATED
    ]
    return {
        (runtime.paddle.version, network, api): (outcome, others)
        for record, runtime in runtimes
        for others in (elsewhere(runtime),)
        for network, api, config, caller, outcome, *_ in record["cells"]
        if (config, caller) == (DEFAULT, PADDLE)
    }


@cache
def _varying() -> frozenset[tuple[str, str, str]]:
    """What the bundle knows to vary by now, by release, network and loader: a record of another
    day that happens to agree with the matrix takes nothing back."""
    listing = json.loads(_bundled()[1]["bundle.json"])
    return frozenset(
        (release, f"{one['saved_by']}/{one['name']}", api)
        for one in listing["networks"]
        for release, apis in one["known"].items()
        for api, told in apis.items()
        if told[0] == VARIES
    )


def _case(name: Name) -> Any:
    """What is told of a network that is saved here, or that the bundle has; None where neither."""
    record = _folder(name) / "case.json"
    if record.exists():
        return json.loads(record.read_text(encoding="utf-8"))
    return _bundled()[0].get(name)


@cache
def _bundled() -> tuple[Mapping[Name, Any], Mapping[str, bytes]]:
    """What the bundle has by now: cases as they were told where networks were saved, and files."""
    with zipfile.ZipFile(BUNDLE) as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()}
    cases = {}
    for one in json.loads(files["bundle.json"])["networks"]:
        inputs = [{"name": name} for name in one["inputs"]]
        forward = {"inputs": inputs, "outputs": one["outputs"]}
        told = {"format": one["format"], "sets": one["sets"], "prefix": "model"}
        cases[one["saved_by"], one["name"]] = {**told, "methods": {"forward": forward}}
    return cases, files


def _folder(name: Name) -> Path:
    return home() / "artifacts" / name[0] / name[1]


def _files(name: Name) -> Mapping[str, bytes]:
    folder = _folder(name)
    if (folder / "case.json").exists():
        return {file: (folder / file).read_bytes() for file in _FILES if (folder / file).exists()}
    held = _bundled()[1]
    names = {file: "/".join((*name, file)) for file in _FILES}
    return {file: held[path] for file, path in names.items() if path in held}


def _size(name: Name) -> int:
    """Bytes of a network; none where it is not saved under one prefix, or of several methods."""
    case = _case(name)
    if case is None or case.get("prefix") != "model" or list(case["methods"]) != ["forward"]:
        return 0
    return sum(map(len, _files(name).values()))


def _write(manifest: Mapping[str, Any], names: Sequence[Name]) -> None:
    contents = {name: _files(name) for name in names}
    files = {
        "/".join((*name, file)): data
        for name, held in contents.items()
        for file, data in held.items()
    }
    _write_files(manifest, files)


def _write_files(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(BUNDLE, "w") as bundle:
        _add(bundle, "bundle.json", json.dumps(manifest, indent=1).encode())
        for name, data in files.items():
            _add(bundle, name, data)


def _add(bundle: zipfile.ZipFile, name: str, data: bytes) -> None:
    bundle.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    sys.exit(main())
