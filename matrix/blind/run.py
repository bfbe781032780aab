"""Models that nobody here has thought of, saved by one release and run by another.

    python -m matrix.blind.run 2.6.2 3.3.1                    what is not right, a line each
    python -m matrix.blind.run 3.3.1 2.6.2 --only 'language.*'
    python -m matrix.blind.run 3.3.1 3.3.1 --way predictor --caller paddle
    python -m matrix.blind.run 2.6.2 3.3.1 --config paddlex   predictors as it makes them
    python -m matrix.blind.run 3.3.1 3.3.1 --beside 8         the last 8 run again behind each
    python -m matrix.blind.run 2.6.2 3.3.1 --models FILE.py   your own, in place of those here
    python -m matrix.blind.run 2.6.2 3.3.1 --zoo --way trained   the matrix's networks, a step each

A file of your own has ``MODELS``, as the modules beside this one: a name, and a function that
returns a layer, the ``InputSpec`` of its inputs, and two lists of arrays to give it.

Each model runs as a layer, a program, a predictor and by ``inference_only``, four times at two
sizes, and is held against the eager layer. With ``--way trained`` it takes a step as a layer, and
its gradients are held against the eager layer's (in 2.6 no loaded layer is trained). What Paddle's
own layer does not run in the release that saved it is counted apart, and so is what that release
does not save. Exit status: 0 all right, 1
one is not, 2 misuse.
"""

from __future__ import annotations

import argparse
import importlib
import runpy
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from matrix.calls import LOADERS, Saved, error_line
from matrix.cells import CALLERS, WITH
from matrix.children import AT_HOME, UNSAVED, prepared, ran, ran_to_the_end, told
from matrix.comparison import difference
from matrix.environments import ensure
from matrix.named_configs import NAMED
from matrix.network import Network
from matrix.training import apart, learnt, lost
from matrix.versions import entries
from matrix.zoo import networks

ZOO = "zoo"
PARTS = (
    *("programs", "vision", "language", "deployed", "scripts", "pictures", "forms"),
    *("transformers", "decoding", "series", "graphs"),
)
WAYS = {"layer": "jit", "program": "static", "predictor": "predictor", "inference_only": "served"}
TRAINED = "trained"
TOLERANCE = 2e-4
OFF = 2e-3  # of gradients, as a share of the largest
# Sums of half precision, and particles that fly apart.
TOLERANCES = {"half": 2e-2, "halves": 5e-2, "fp16": 2e-2, "promotions": 2e-2, "leapfrog": 5e-3}
ORDER = (0, 0, 1, 0)  # the sizes, as they follow each other


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.blind.run", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    known = [one.id for one in entries()]
    parser.add_argument("saver", choices=known)
    parser.add_argument("loader", choices=known)
    parser.add_argument("--models", nargs="+", default=[], metavar="FILE", help="your own")
    parser.add_argument("--only", default="*", metavar="NAMES", help="a pattern")
    parser.add_argument("--zoo", action="store_true", help="the networks of the matrix")
    parser.add_argument("--way", nargs="+", choices=[*WAYS, TRAINED], default=[*WAYS])
    parser.add_argument("--config", choices=sorted(NAMED), help="of the predictors")
    parser.add_argument("--caller", choices=CALLERS, default="compatload")
    parser.add_argument("--beside", type=int, default=0, metavar="COUNT", help="of models kept")
    asked = parser.parse_args(arguments)
    ways = [f"predictor{WITH}{asked.config}"] if asked.config else asked.way
    pythons = {one.id: one for one in entries() if one.id in (asked.saver, asked.loader)}
    home, loader = (ensure(pythons[one]).python for one in (asked.saver, asked.loader))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        files = [ZOO] if asked.zoo else [str(Path(one).resolve()) for one in asked.models]
        save_from = [home, "-m", __spec__.name, "save", folder, asked.only]
        ran_to_the_end(lambda done: [*save_from, str(done), *files])
        unsaved = sorted(Path(folder).glob(f"*/{UNSAVED}"))
        counts[UNSAVED] = len(unsaved)
        for mark in unsaved if asked.models else ():
            print(f"{mark.parent.name}: {UNSAVED}: {mark.read_text(encoding='utf-8')}", flush=True)
        # In 2.6 no loaded layer is trained: there the eager one alone tells what it should learn.
        trains = TRAINED in ways and not asked.saver.startswith("2.")
        home_ways = ["layer", TRAINED] if trains else ["layer"]
        at_home = _outcomes(home, "paddle", home_ways, Path(folder))
        fails = {(name, way) for name, way, outcome in at_home if outcome != "ok"}
        outcomes = _outcomes(loader, asked.caller, ways, Path(folder), asked.beside)
        for name, way, outcome in outcomes:
            if outcome == "ok":
                counts["ok"] += 1
            elif {(name, "layer"), (name, way)} & fails:
                counts[AT_HOME] += 1
                if asked.models:
                    print(f"{name} {way}: {AT_HOME}; here: {outcome}", flush=True)
            else:
                counts[outcome.split()[0].rstrip(":")] += 1
                print(f"{name} {way}: {outcome}", flush=True)
    return told(counts)


def _outcomes(
    python: str, caller: str, ways: Sequence[str], folder: Path, beside: int = 0
) -> Iterator[tuple[str, str, str]]:
    """Name, way, and what came of it; a way that kills the process costs a new one."""
    names = sorted(path.parent.name for path in folder.glob("*/io.npz"))
    waiting = [(name, way) for name in names for way in ways]
    waiting.sort(key=lambda one: one[1] != TRAINED)  # a process forks before it has run anything
    while waiting:
        rest = [f"{way}:{name}" for name, way in waiting]
        errand = [python, "-m", __spec__.name, "load", caller, str(beside), str(folder)]
        ended, output = ran([*errand, *rest])
        lines = [line.split("\t") for line in output.splitlines() if line.count("\t") == 2]
        yield from ((name, way, outcome) for name, way, outcome in lines)
        waiting = waiting[len(lines) :]
        if ended and waiting:
            yield (*waiting[0], f"dead: {ended}")
            waiting = waiting[1:]


def _models(files: Sequence[str]) -> dict[str, Any]:
    """What makes each model: those of the files, or where there are none, of the parts here."""
    if [*files] == [ZOO]:
        return {f"{one.family}.{name}": partial(_made, one) for name, one in networks().items()}
    if files:
        parts = {Path(one).stem: runpy.run_path(one) for one in files}
    else:
        parts = {one: vars(importlib.import_module(f"matrix.blind.{one}")) for one in PARTS}
    return {
        f"{part}.{name}": make
        for part, names in parts.items()
        for name, make in names["MODELS"].items()
    }


def _made(network: Network) -> tuple[Any, list[Any], list[list[np.ndarray]]]:
    """A network of the matrix as the models here are given."""
    from matrix.saving import feed, fill

    chance = np.random.default_rng(7)
    layer = network.layer()
    if network.seeded:
        fill(layer, chance)
    inputs = network.inputs.values()
    sizes = [network.shapes[0], network.shapes[-1]]
    feeds = [[feed(one, size, chance) for one, size in zip(inputs, several)] for several in sizes]
    return layer, [one.spec(name) for name, one in network.inputs.items()], feeds


def save(folder: Path, only: str, done: int, files: Sequence[str] = ()) -> None:
    """Writes a line before each model, of which as many are passed over as were ``done``."""
    import paddle

    from matrix.saving import leaves_of

    own = prepared()
    models = _models(files)
    for name in [one for one in models if fnmatchcase(one, only)][done:]:
        print(name, file=own, flush=True)
        paddle.disable_static()  # a save that failed leaves it on
        paddle.seed(7)
        # What this release does not know, or not save, is counted.
        mark = folder / name / UNSAVED
        mark.parent.mkdir()
        mark.touch()
        try:
            layer, specs, feeds = models[name]()
            layer.eval()
            stored = {}
            for size, feed in enumerate(feeds):
                results = leaves_of(layer(*[paddle.to_tensor(one) for one in feed]))
                stored.update({f"in{size}_{n}": one for n, one in enumerate(feed)})
                stored.update({f"out{size}_{n}": one.numpy() for n, one in enumerate(results)})
            with suppress(Exception):  # what cannot be trained
                for key, gradient in learnt(layer, feeds[0]).items():
                    stored[f"{TRAINED} {key}"] = gradient
            paddle.jit.save(layer, str(folder / name / "model"), input_spec=specs)
            names = np.array([one.name for one in specs])
            np.savez(folder / name / "io.npz", names=names, **stored)
            mark.unlink()
        except Exception as error:
            mark.write_text(error_line(error), encoding="utf-8")


def load(caller: str, beside: int, folder: Path, asked: Sequence[str]) -> None:
    """The last ``beside`` models that were right stay loaded, and run again behind each."""
    own = prepared()
    kept: deque[_Model] = deque(maxlen=beside)
    for one in asked:
        way, _, name = one.partition(":")
        if way == TRAINED:
            outcome = apart(partial(_trained, folder / name, caller))
            print(f"{name}\t{way}\t{outcome}", file=own, flush=True)
            continue
        try:
            model = _Model(folder / name, caller, way)
            outcome = model.outcome()
        except Exception as error:
            outcome = f"error: {error_line(error)}"
        if outcome == "ok":
            broken = [f"{other} {told}" for other in kept if (told := other.again()) != "ok"]
            kept.append(model)
            if broken:
                outcome = f"breaks {broken[0]}"
                kept.clear()
        print(f"{name}\t{way}\t{outcome}", file=own, flush=True)


def _trained(folder: Path, caller: str) -> str:
    with np.load(folder / "io.npz") as io:
        stored = dict(io)
    wanted = {
        key[len(TRAINED) + 1 :]: one for key, one in stored.items() if key.startswith(TRAINED)
    }
    if not wanted:
        return "ok"  # nothing is trained there
    names = [str(one) for one in stored["names"]]
    try:
        layer, _ = LOADERS["jit"](Saved.plain(folder, names), caller, {})
        layer.train()
        found = learnt(layer, [stored[f"in0_{n}"] for n, _ in enumerate(names)])
    except Exception as error:
        return f"error: {error_line(error)}"
    off = lost(found, wanted)
    return "ok" if off <= OFF else f"wrong by {off:.3g}"


class _Model:
    """A model as it is loaded in one way, with what it was given and is to return."""

    def __init__(self, folder: Path, caller: str, way: str) -> None:
        with np.load(folder / "io.npz") as io:
            self._stored = dict(io)
        self._names = [str(one) for one in self._stored["names"]]
        self._name, self._way = folder.name, way
        self._into_mode()
        kind, _, config = way.partition(WITH)
        options = {"config": config} if config else {}
        saved = Saved.plain(folder, self._names)
        _, self._run = LOADERS[WAYS[kind]](saved, caller, options)

    def __str__(self) -> str:
        return f"{self._name} {self._way}"

    def outcome(self) -> str:
        self._into_mode()
        off = 0.0
        for size in ORDER:
            feed = {one: self._stored[f"in{size}_{n}"].copy() for n, one in enumerate(self._names)}
            expected = [self._stored[key] for key in self._stored if key.startswith(f"out{size}_")]
            off = max(off, difference(self._run("forward", feed), expected))
        wanted = (most for part, most in TOLERANCES.items() if part in self._name.lower())
        return "ok" if off <= next(wanted, TOLERANCE) else f"wrong by {off:.3g}"

    def again(self) -> str:
        try:
            return self.outcome()
        except Exception as error:
            return f"error: {error_line(error)}"

    def _into_mode(self) -> None:
        import paddle

        if self._way == "program":
            paddle.enable_static()
        else:
            paddle.disable_static()


if __name__ == "__main__":
    if sys.argv[1:2] == ["save"]:
        save(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5:])
    elif sys.argv[1:2] == ["load"]:
        load(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
    else:
        sys.exit(main())
