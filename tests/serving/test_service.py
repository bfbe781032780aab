"""examples/service.py, as docs/how-to/service.md shows it, under uvicorn with several workers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures.index import Fixture, fixture
from tests.serving.service_environment import service_python

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "examples" / "service.py"
RELEASE = "3.3.1"
PATIENCE = 240.0
MODELS = {"legacy": "2.6.2/classifier", "pir": "3.3.1/transformer"}
WORKERS = 2


class Service:
    """A running service; its models lie in ``folder/<name>/model``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, identity in MODELS.items():
            (folder / name).mkdir()
            for file in fixture(identity).folder.glob("model.*"):
                shutil.copy(file, folder / name)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "MODELS": ",".join(f"{name}={folder / name / 'model'}" for name in MODELS),
            "WATCH": "0.2",
            "OMP_NUM_THREADS": "1",
        }
        command = [service_python(RELEASE), "-m", "uvicorn", "service:app"]
        self.log = folder / "log.txt"
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(
                [*command, "--workers", str(WORKERS), "--port", str(self.port)],
                cwd=SERVICE.parent,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def ask(self, name: str, source: Fixture) -> np.ndarray:
        body = json.dumps([value.tolist() for value in source.inputs(0).values()]).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/models/{name}",
            data=body,
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return np.asarray(json.loads(answer.read())[0], dtype=np.float32)

    def until(self, text: str, times: int) -> None:
        """Wait until the log holds ``text`` so often."""
        end = time.monotonic() + PATIENCE
        while self.text().count(text) < times:
            assert self.process.poll() is None, self.text()[-2000:]
            assert time.monotonic() < end, self.text()[-2000:]
            time.sleep(0.1)

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        pids = [int(pid) for pid in children.read_text().split()]
        return [p for p in pids if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    running = Service(tmp_path_factory.mktemp("service"))
    try:
        running.until("Application startup complete", WORKERS)
        yield running
    finally:
        running.process.send_signal(signal.SIGINT)
        try:
            running.process.wait(60)
        except subprocess.TimeoutExpired:
            running.process.kill()


def test_the_example_is_what_the_page_shows() -> None:
    text = SERVICE.read_text()
    assert len(text.splitlines()) <= 30
    assert text in (ROOT / "docs/how-to/service.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_answers_are_the_models_own(service: Service, name: str) -> None:
    source = fixture(MODELS[name])
    for _ in range(10):
        assert np.abs(service.ask(name, source) - source.outputs(0)[0]).max() <= 1e-4


def test_another_model_in_its_place_and_a_damaged_one(service: Service) -> None:
    old, new = fixture(MODELS["legacy"]), fixture("2.6.2/detector")
    place = service.folder / "legacy"
    weights = (old.folder / "model.pdiparams").read_bytes()
    before = service.text().count("stays in service")
    (place / "model.pdiparams").write_bytes(weights[:-100])
    service.until("stays in service", before + WORKERS)
    assert np.abs(service.ask("legacy", old) - old.outputs(0)[0]).max() <= 1e-4
    for file in new.folder.glob("model.*"):
        shutil.copy(file, place / "new")
        os.replace(place / "new", place / file.name)
    service.until("took over", WORKERS)
    for _ in range(6):
        answer = service.ask("legacy", new)
        assert np.abs(answer - new.outputs(0)[0]).max() <= 1e-3


def test_a_worker_that_is_killed_is_replaced(service: Service) -> None:
    source = fixture(MODELS["pir"])
    victims = service.workers()
    assert len(victims) == WORKERS
    started = service.text().count("Application startup complete")
    os.kill(victims[0], signal.SIGKILL)
    answered = 0
    end = time.monotonic() + PATIENCE
    while service.text().count("Application startup complete") == started:
        # The other worker goes on; only a connection that the dead one held is lost.
        try:
            assert np.abs(service.ask("pir", source) - source.outputs(0)[0]).max() <= 1e-4
            answered += 1
        except (urllib.error.URLError, ConnectionError):
            pass
        assert time.monotonic() < end
        time.sleep(0.1)
    assert answered > 0
    now = service.workers()
    assert len(now) == WORKERS
    assert victims[0] not in now
    for _ in range(8):
        assert np.abs(service.ask("pir", source) - source.outputs(0)[0]).max() <= 1e-4


def test_calls_with_nothing_sensible_are_refused_and_harm_nobody(service: Service) -> None:
    request = urllib.request.Request(
        f"http://127.0.0.1:{service.port}/models/pir",
        data=b'["x"]',
        headers={"Content-Type": "application/json"},
    )
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request, timeout=PATIENCE)
    source = fixture(MODELS["pir"])
    assert np.abs(service.ask("pir", source) - source.outputs(0)[0]).max() <= 1e-4
