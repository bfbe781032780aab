"""Every reader of hostile bytes, as a function that must end well or in a documented error.

Used by the fuzzer and by the test that replays what it found.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from compatload.artifact import pickle_audit, pir_json, program_desc
from compatload.artifact.inspection import inspect_artifact, inspect_bytes
from compatload.artifact.model import Artifact, DecodedProgram
from compatload.errors import CompatLoadError
from compatload.programs.legacy_repairs.repair import repair
from compatload.programs.pir_to_legacy.convert import pir_to_legacy
from compatload.programs.pir_versions import convert_pir_bytes
from tests.fixtures.index import fixture

# A model of each format whose weights and directory are attacked.
LEGACY, PIR = "2.6.2/classifier", "3.3.1/classifier"
# What an artifact's directory may hold, by the first byte of the input.
NAMES = (
    "model.pdmodel",
    "model.json",
    "model.pdiparams",
    "model.pdiparams.info",
    "model.meta",
    "__model__",
    "__params__",
    "model",
    "inference.yml",
    "model.pdparams",
    "model.nb",
    "model.second.pdmodel",
    "model.compatload",
)


def legacy_program(data: bytes) -> None:
    """A serialised ProgramDesc: decoded, and repaired as before a load."""
    _use(program_desc.decode(data))
    repair(data, "3.3.1")


def text_program(data: bytes) -> None:
    _use(program_desc.decode(data, text=True))


def pir_program(data: bytes) -> None:
    """PIR JSON: decoded, and rewritten for an older and a newer release."""
    _use(pir_json.decode(data))
    for release in ("3.0.0", "3.3.1"):
        _documented(lambda to=release: convert_pir_bytes(data, to))


def pir_as_legacy(data: bytes) -> None:
    decoded = pir_json.decode(data)
    _use(decoded)
    artifact = inspect_bytes(data, None)
    pir_to_legacy(pir_json.parse(data), artifact.parameters)


def legacy_weights(data: bytes) -> None:
    inspect_bytes(_program(LEGACY, ".pdmodel"), data)


def pir_weights(data: bytes) -> None:
    inspect_bytes(_program(PIR, ".json"), data)


def info_pickle(data: bytes) -> None:
    pickle_audit.audit_info(data)


def state_pickle(data: bytes) -> None:
    pickle_audit.audit_state(data)


def directory(data: bytes) -> None:
    """One file of a model's directory, whatever it is called."""
    if not data:
        return
    source = fixture(LEGACY if data[0] & 1 else PIR).folder
    with tempfile.TemporaryDirectory(prefix="compatload-fuzz-") as name:
        folder = Path(name)
        for file in source.glob("model.*"):
            (folder / file.name).symlink_to(file)
        target = folder / NAMES[(data[0] >> 1) % len(NAMES)]
        target.unlink(missing_ok=True)
        target.write_bytes(data[1:])
        for path in (folder, folder / "model", target):
            _documented(lambda at=path: _use_artifact(inspect_artifact(at)))


READERS: dict[str, Callable[[bytes], None]] = {
    reader.__name__: reader
    for reader in (
        legacy_program,
        pir_program,
        legacy_weights,
        pir_weights,
        info_pickle,
        state_pickle,
        directory,
        pir_as_legacy,
        text_program,
    )
}


def read(name: str, data: bytes) -> bool:
    """Give ``data`` to a reader; whether it was accepted. Raises what no reader may raise."""
    return _documented(lambda: READERS[name](data))


def _documented(call: Callable[[], object]) -> bool:
    try:
        call()
    except CompatLoadError as error:
        if not (error.problem and error.action):
            raise AssertionError(f"an error without advice: {error!r}") from error
        return False
    return True


@cache
def _program(identity: str, suffix: str) -> bytes:
    return (fixture(identity).folder / f"model{suffix}").read_bytes()


def _use(decoded: DecodedProgram) -> None:
    """Ask for everything that is decoded on first use."""
    for operator in decoded.program.operators:
        assert operator.inputs is not None
        assert operator.outputs is not None
        assert operator.attributes is not None
    assert decoded.program.variables is not None


def _use_artifact(artifact: Artifact) -> None:
    for operator in artifact.program.operators:
        assert operator.attributes is not None
    json.dumps(artifact.to_dict())
