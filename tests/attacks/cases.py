"""Every case of a campaign, by its seed and number: which release, which call, which artifact."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from tests.attacks import bundled
from tests.attacks.archives import damage_archive
from tests.attacks.damage import (
    PROGRAMS,
    WAYS,
    WEIGHTS,
    Case,
    Model,
    damaged_once,
    read_model,
)
from tests.attacks.fields import damage_program
from tests.attacks.headers import damage_both, damage_info, damage_weights
from tests.attacks.nodes import damage_json
from tests.fixtures.index import fixtures

# How often each call is drawn. Those that only the preflight has are slow, and drawn alone.
CALLS = {
    "layer": 24,
    "program": 20,
    "predictor": 20,
    "inference_only": 18,
    "handle": 8,
    "convert": 6,
    "check": 4,
}
PREFLIGHT = ("inference_only", "handle")
SAVERS = ("2.6.2", "3.0.0", "3.3.1")
LARGEST = 64_000  # bytes of a model that is attacked

Changed = tuple[str, str, bytes]
_Damage = Callable[[bytes, random.Random], "Changed | None"]


@dataclass(frozen=True)
class Attack:
    """A case with what is done with it."""

    release: str
    call: str
    case: Case


@cache
def models() -> tuple[Model, ...]:
    """The small fixtures: every one is attacked, in every way."""
    found = [read_model(one.folder, str(one.record["prefix"])) for one in fixtures(saved_by=SAVERS)]
    return tuple(one for one in found if sum(map(len, one.files.values())) <= LARGEST)


def attack(
    seed: int,
    number: int,
    releases: Sequence[str],
    calls: Sequence[str],
    bundle: bool = False,
) -> Attack:
    """Case ``number`` of a campaign, on the fixtures or on the networks of ``compatload selftest``.
    The artifact does not depend on releases and calls."""
    chance = random.Random(f"campaign:{seed}:{number}")
    call = chance.choices(calls, [CALLS[name] for name in calls])[0]
    release = releases[number % len(releases)]
    sound = bundled.models() if bundle else models()
    case = _case(seed, number, sound, archive=call == "check", chance=chance)
    return Attack(release, call, case)


def _case(
    seed: int, number: int, sound: Sequence[Model], archive: bool, chance: random.Random
) -> Case:
    model = chance.choice(sound)
    if archive and chance.random() < 0.7:
        what, cause, name, data = damage_archive(model.files, chance)
        return Case(number, model.name, name, what, {name: data}, False, f"archive {cause}")
    kinds = ("program", "weights", "both", "info", "bytes")
    kind = chance.choices(kinds, (76, 6, 4, 2, 12))[0]
    made = None if kind == "bytes" else _changed(number, model, kind, chance)
    while made is None:  # not every model has every file
        model = chance.choice(sound)
        made = damaged_once(number, model, sound, chance, chance.choice(WAYS))
    return made


def _changed(number: int, model: Model, kind: str, chance: random.Random) -> Case | None:
    if kind == "both":
        return _both(number, model, chance)
    endings = {"program": PROGRAMS, "weights": WEIGHTS, "info": (".info",)}[kind]
    names = model.named(endings)
    if not names:
        return None
    name = chance.choice(names)
    damage: _Damage
    if kind == "program":
        damage = damage_json if name.endswith(".json") else damage_program
    else:
        damage = damage_weights if kind == "weights" else damage_info
    made = damage(model.files[name], chance)
    if made is None:
        return None
    what, cause, data = made
    files = {**model.files, name: data}
    return Case(number, model.name, model.prefix, f"{name}: {what}", files, False, cause)


def _both(number: int, model: Model, chance: random.Random) -> Case | None:
    program, weights = model.prefix + ".json", model.prefix + ".pdiparams"
    if program not in model.files:
        program = model.prefix + ".pdmodel"
    if program not in model.files or weights not in model.files:
        return None
    made = damage_both(model.files[program], model.files[weights], chance)
    if made is None:
        return None
    what, cause, *changed = made
    files = {**model.files, program: changed[0], weights: changed[1]}
    return Case(number, model.name, model.prefix, what, files, False, cause)
