"""PP-OCR's published models, legacy → PIR → legacy → PIR: the same numbers at each station."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from compatload import convert
from matrix.environments import home
from tests.loading.test_real_models import APIS, RAPIDOCR, REFERENCE, rapidocr, run_script
from tests.releases import python_of

RELEASES = ("2.6.2", "3.3.1")
STATIONS = ("legacy", "pir", "legacy", "pir")


@cache
def stations() -> tuple[str, ...]:
    """``prefix:size`` of every model at every station, each converted from the one before it."""
    folder = home() / "conversion-chain"
    translator = python_of("3.3.1")
    found = []
    for name, size in RAPIDOCR.items():
        source = str(rapidocr() / name / "inference")
        found.append(f"{source}:{size}")
        for number, kind in enumerate(STATIONS[1:], 1):
            target = folder / str(number) / name
            for path in folder.glob(f"{number}/{name}*"):
                path.unlink()
            to = "legacy" if kind == "legacy" else "paddle==3.3.1"
            convert(source, target, to=to, verify=False, interpreters=[translator])
            source = str(target)
            found.append(f"{source}:{size}")
    return tuple(found)


@cache
def outputs(release: str, caller: str, models: tuple[str, ...]) -> dict[str, np.ndarray]:
    """``<index>/<api>/<leaf>`` → array."""
    result = home() / f"conversion-chain-{release}-{caller}.npz"
    result.unlink(missing_ok=True)
    run_script(release, "run", str(result), caller, "--same-input", *models)
    with np.load(result, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@pytest.mark.parametrize("station", range(len(STATIONS)))
@pytest.mark.parametrize("model", range(len(RAPIDOCR)))
@pytest.mark.parametrize("release", RELEASES)
def test_same_numbers_at_each_station(release: str, model: int, station: int) -> None:
    originals = stations()[:: len(STATIONS)]
    expected = outputs(REFERENCE, "paddle", originals)
    found = outputs(release, "compatload", stations())
    place = model * len(STATIONS) + station
    leaves = [key for key in expected if key.startswith(f"{model}/layer/")]
    assert leaves
    for api in APIS:
        for leaf in leaves:
            wanted = expected[leaf]
            own = np.abs(wanted - expected[leaf.replace("/layer/", "/predictor/")]).max()
            scale = max(1.0, float(np.abs(wanted).max()))
            actual = found[f"{place}/{api}/{leaf.rsplit('/', 1)[1]}"]
            assert np.abs(actual - wanted).max() <= max(1e-5 * scale, 2 * float(own)), api
