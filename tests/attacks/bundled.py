"""The networks of ``compatload selftest`` as models to be attacked: one of every fault, small."""

from __future__ import annotations

import io
import zipfile
from functools import cache

import numpy as np

from compatload.selftest.bundle import OWN, Network, read_bundle
from tests.attacks.damage import Model

# What their names begin with here: a fixture may bear the same.
MARK = "selftest:"
PREFIX = "model"


@cache
def models() -> tuple[Model, ...]:
    """All of them."""
    with zipfile.ZipFile(OWN) as stored:
        named = [one for one in stored.namelist() if one.count("/") == 2]
        files = {one: stored.read(one) for one in named if not one.endswith("io.npz")}
    return tuple(Model(MARK + one, PREFIX, _of(one, files)) for one in sorted(_networks()))


@cache
def inputs(model: str) -> dict[str, np.ndarray]:
    """The first inputs that were stored with one, as its layer takes them."""
    network = model.removeprefix(MARK)
    with zipfile.ZipFile(OWN) as stored:
        data = io.BytesIO(stored.read(f"{network}/io.npz"))
    with np.load(data, allow_pickle=False) as arrays:
        return {one: arrays[f"0/forward/in/{one}"] for one in _networks()[network].inputs}


@cache
def _networks() -> dict[str, Network]:
    return {one.id: one for one in read_bundle(OWN).networks}


def _of(model: str, files: dict[str, bytes]) -> dict[str, bytes]:
    place = f"{model}/"
    return {name[len(place) :]: data for name, data in files.items() if name.startswith(place)}
