"""Trees of real saved models: mixed ones, damaged ones among them, and as many as are asked for."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from matrix.environments import home

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures"
SAVERS = ("2.6.2", "3.0.0", "3.1.1", "3.2.2", "3.3.1")
PROGRAMS = ("model.pdmodel", "model.json")
# Larger networks prove nothing more of a fleet, and take their time to copy.
LARGEST = 200 << 10
DAMAGES = ("program cut short", "weights cut short", "weights of another model", "no weights")


def mixed(into: Path, models: int, seed: int = 22) -> dict[str, str]:
    """Models of five savers from the matrix's artifacts, every tenth damaged; path → damage.

    Beside some lie labels and configurations, as in a service's bucket.
    """
    chance = random.Random(seed)  # noqa: S311 - the same models every time
    kinds = {one: _small(home() / "artifacts" / one) for one in SAVERS}
    damaged = {}
    for number in range(models):
        saver = SAVERS[number % len(SAVERS)]
        kind = chance.choice(kinds[saver])
        place = into / f"team-{number // 50}" / f"{number:03d}-{kind.name}"
        shutil.copytree(kind, place, ignore=shutil.ignore_patterns("case.json", "origin.json"))
        if number % 3 == 0:
            (place / "labels.txt").write_text("cat\ndog\n")
            (place / "inference.yml").write_text(f"Global: {{model_name: {kind.name}}}\n")
        if number % 10 == 3:
            damage = DAMAGES[number // 10 % len(DAMAGES)]
            # Weights that fit as well are only told by a record (SECURITY.md).
            size = _weights(kind)
            others = [one for one in kinds[saver] if _weights(one) != size]
            _damage(place, damage, chance.choice(others))
            damaged[str(place.relative_to(into))] = damage
    return damaged


def many(into: Path, models: int) -> None:
    """As many models, hard links of the fixtures, a hundred a folder."""
    kinds = [one for one in sorted(FIXTURES.glob("[23].*/*")) if (one / "case.json").exists()]
    originals = into / ".originals"
    for number in range(models):
        kind = kinds[number % len(kinds)]
        original = originals / kind.relative_to(FIXTURES)
        if not original.exists():
            without = shutil.ignore_patterns("io.npz", "case.json")
            shutil.copytree(kind, original, ignore=without)
        place = into / "fleet" / f"{number // 100}" / f"{number}"
        shutil.copytree(original, place, copy_function=os.link)


def _small(folder: Path) -> list[Path]:
    found = [
        one
        for one in sorted(folder.iterdir())
        if (one / "model.pdiparams").exists()
        and (one / "io.npz").exists()
        and sum(file.stat().st_size for file in one.iterdir()) < LARGEST
    ]
    if not found:
        raise SystemExit(f"{folder} has no models: run ./develop matrix first")
    return found


def _weights(model: Path) -> int:
    return (model / "model.pdiparams").stat().st_size


def _damage(place: Path, damage: str, other: Path) -> None:
    program = next(place / name for name in PROGRAMS if (place / name).exists())
    weights = place / "model.pdiparams"
    if damage == "program cut short":
        program.write_bytes(program.read_bytes()[: program.stat().st_size // 2])
    elif damage == "weights cut short":
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    elif damage == "weights of another model":
        shutil.copy(other / "model.pdiparams", weights)
    else:
        weights.unlink()
