"""ModelHandle without Paddle: who is served by what, while files come and go."""

from __future__ import annotations

import gc
import logging
import os
import pickle
import shutil
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from compatload import ArtifactNotFoundError, ModelHandle, UsageError, inspect_artifact
from compatload.errors import DamagedArtifactError, IncompatibleError
from compatload.serving import file_state
from tests.fixtures.index import fixture

PATIENCE = 20.0


class Model:
    """What the loads of these tests return: it answers with the size of its weights."""

    def __init__(self, path: str) -> None:
        artifact = inspect_artifact(path)
        self.answer = os.path.getsize(artifact.files.parameters[0])
        self.inside = threading.Event()
        self.leave = threading.Event()
        self.closed = False

    def __call__(self, number: int, wait: bool = False) -> int:
        if wait:
            self.inside.set()
            assert self.leave.wait(PATIENCE)
        assert not self.closed
        return self.answer + number

    def close(self) -> None:
        self.closed = True


def put(identity: str, folder: Path, *, by_renaming: bool = True) -> int:
    """Make the model at ``folder/model`` this fixture; the size of its weights."""
    for source in fixture(identity).folder.glob("model.*"):
        target = folder / source.name
        if by_renaming:
            shutil.copy(source, folder / "new")
            os.replace(folder / "new", target)
        else:
            shutil.copy(source, target)
    for stale in set(folder.glob("model.*")) - {
        folder / source.name for source in fixture(identity).folder.glob("model.*")
    }:
        stale.unlink()
    return (folder / "model.pdiparams").stat().st_size


def eventually(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put("2.6.2/classifier", tmp_path)
    return tmp_path


def handle(folder: Path, **more: object) -> ModelHandle:
    options = {"load": Model, "concurrent": True, **more}
    return ModelHandle(folder / "model", **options)  # type: ignore[arg-type]


def test_reload_serves_the_new_model(folder: Path) -> None:
    old = (folder / "model.pdiparams").stat().st_size
    with handle(folder) as model:
        assert model(1) == old + 1
        new = put("3.3.1/transformer", folder)
        assert new != old
        assert model(1) == old + 1
        assert model.reload()
        assert model(1) == new + 1
        status = model.status()
    assert (status.generation, status.reloads, status.failures) == (2, 1, 0)
    assert status.last_error is None
    assert model.status().closed


def test_the_old_model_stays_if_the_new_one_fails(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with handle(folder) as model:
        answer = model(0)
        weights = folder / "model.pdiparams"
        whole = weights.read_bytes()
        weights.write_bytes(whole[:-10])
        with caplog.at_level(logging.WARNING, logger="compatload"):
            assert not model.reload()
        assert "model 1" in caplog.text
        assert "stays in service" in caplog.text
        assert model(0) == answer
        status = model.status()
        assert (status.generation, status.failures) == (1, 1)
        assert status.last_error is not None
        assert status.last_error.startswith("DamagedArtifactError")
        weights.write_bytes(whole)
        assert model.reload()
        assert model.status().last_error is None


def test_every_kind_of_failure_keeps_the_old_model(folder: Path) -> None:
    failure: list[BaseException] = []

    def load(path: str) -> Model:
        if failure:
            raise failure[0]
        return Model(path)

    with handle(folder, load=load) as model:
        for error in (MemoryError(), RuntimeError("native"), OSError(28, "disk full")):
            failure[:] = [error]
            assert not model.reload()
            assert model(0)
        assert model.status().failures == 3


def test_the_first_load_raises() -> None:
    with pytest.raises(ArtifactNotFoundError):
        ModelHandle("/nothing/here", load=Model)


def test_calls_inside_the_old_model_finish_there(folder: Path) -> None:
    loaded: list[Model] = []

    def load(path: str) -> Model:
        loaded.append(Model(path))
        return loaded[-1]

    model = handle(folder, load=load)
    answers: list[int] = []
    caller = threading.Thread(target=lambda: answers.append(model(0, wait=True)))
    caller.start()
    old = loaded[0]
    assert old.inside.wait(PATIENCE)
    new = put("3.3.1/transformer", folder)
    assert model.reload()
    assert model(0) == new
    assert not old.closed
    assert model.status().draining == 1
    assert not model.close(timeout=0.05)
    old.leave.set()
    caller.join(PATIENCE)
    assert answers == [old.answer]
    assert answers != [new]
    assert old.closed
    assert model.close()


def test_reload_can_wait_for_the_last_call(folder: Path) -> None:
    loaded: list[Model] = []

    def load(path: str) -> Model:
        loaded.append(Model(path))
        return loaded[-1]

    with handle(folder, load=load) as model:
        caller = threading.Thread(target=lambda: model(0, wait=True))
        caller.start()
        assert loaded[0].inside.wait(PATIENCE)
        timer = threading.Timer(0.2, loaded[0].leave.set)
        timer.start()
        started = time.monotonic()
        assert model.reload(drain=PATIENCE)
        assert time.monotonic() - started > 0.1
        assert loaded[0].closed
        caller.join()


def test_models_are_let_go(folder: Path) -> None:
    seen: list[weakref.ref[Model]] = []

    def load(path: str) -> Model:
        model = Model(path)
        seen.append(weakref.ref(model))
        return model

    with handle(folder, load=load) as model:
        for _ in range(5):
            model.reload()
        gc.collect()
        assert [one() is not None for one in seen] == [False] * 5 + [True]
    gc.collect()
    assert seen[-1]() is None


def test_many_threads_and_many_reloads(folder: Path) -> None:
    sizes = {(folder / "model.pdiparams").stat().st_size}
    sizes.add((fixture("3.3.1/transformer").folder / "model.pdiparams").stat().st_size)
    wrong: list[object] = []
    stop = threading.Event()
    with handle(folder) as model:

        def call() -> None:
            while not stop.is_set():
                try:
                    if model(0) not in sizes:
                        wrong.append("another answer")
                except Exception as error:
                    wrong.append(error)

        callers = [threading.Thread(target=call) for _ in range(8)]
        for caller in callers:
            caller.start()
        for number in range(30):
            put(("2.6.2/classifier", "3.3.1/transformer")[number % 2], folder)
            assert model.reload()
        stop.set()
        for caller in callers:
            caller.join()
        assert model.status().generation == 31
    assert wrong == []


def test_threads_take_turns_in_a_model_that_is_not_for_many(folder: Path) -> None:
    inside, most = 0, 0

    class Counting(Model):
        def __call__(self, number: int, wait: bool = False) -> int:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            time.sleep(0.002)
            inside -= 1
            return number

    with ModelHandle(folder / "model", load=Counting) as model:
        callers = [threading.Thread(target=model, args=(1,)) for _ in range(10)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    assert most == 1


def test_a_closed_handle_says_so(folder: Path) -> None:
    model = handle(folder)
    assert model.close()
    assert model.close()
    with pytest.raises(UsageError, match="closed"):
        model(0)
    with pytest.raises(UsageError, match="closed"):
        model.reload()


def test_a_sample_guards_the_interface(folder: Path) -> None:
    answers: dict[int, object] = {}

    class Answering(Model):
        def __call__(self, number: int, wait: bool = False) -> object:  # type: ignore[override]
            return answers.get(self.answer, float("nan"))

    old = (folder / "model.pdiparams").stat().st_size
    answers[old] = [0.5, (1, 2)]
    with handle(folder, load=Answering, sample=(1,)) as model:
        new = put("3.3.1/transformer", folder)
        for bad, words in (([0.5], "returns"), ([float("nan"), (1, 2)], "NaN")):
            answers[new] = bad
            assert not model.reload()
            assert words in str(model.status().last_error)
        answers[new] = [0.25, (3, 4)]
        assert model.reload()
        assert model(1) == [0.25, (3, 4)]


def test_a_test_of_the_callers_own_can_refuse(folder: Path) -> None:
    allowed = True

    def verify(model: Model) -> None:
        if not allowed:
            raise IncompatibleError("not good enough")

    with handle(folder, verify=verify) as model:
        allowed = False
        assert not model.reload()
        assert "not good enough" in str(model.status().last_error)


def test_watching_reloads_what_changed(folder: Path) -> None:
    with handle(folder, watch=0.05) as model:
        new = put("3.3.1/transformer", folder)
        eventually(lambda: model(0) == new)
        assert model.status().generation == 2


def test_watching_leaves_alone_what_was_only_touched(folder: Path) -> None:
    with handle(folder, watch=0.05) as model:
        for _ in range(5):
            for file in folder.iterdir():
                os.utime(file)
            put("2.6.2/classifier", folder)
            time.sleep(0.1)
        time.sleep(0.3)
        status = model.status()
    assert (status.generation, status.failures) == (1, 0)


def test_watching_waits_for_a_slow_writer(folder: Path) -> None:
    source = fixture("3.3.1/transformer").folder
    weights = (source / "model.pdiparams").read_bytes()
    with handle(folder, watch=0.2) as model:
        shutil.copy(source / "model.json", folder / "model.json")
        (folder / "model.pdmodel").unlink()
        (folder / "model.pdiparams.info").unlink()
        with open(folder / "model.pdiparams", "wb") as file:
            for start in range(0, len(weights), len(weights) // 10 + 1):
                file.write(weights[start : start + len(weights) // 10 + 1])
                file.flush()
                time.sleep(0.06)
        eventually(lambda: model(0) == len(weights))
        assert model.status().failures == 0


def test_a_writer_that_stops_half_way_leaves_the_old_model(folder: Path) -> None:
    weights = (folder / "model.pdiparams").read_bytes()
    with handle(folder, watch=0.05) as model:
        (folder / "model.pdiparams").write_bytes(weights[: len(weights) // 2])
        eventually(lambda: model.status().failures == 1)
        time.sleep(0.3)
        # One attempt for one state of the files, not one for each look.
        assert model.status().failures == 1
        assert model(0) == len(weights)
        (folder / "model.pdiparams").write_bytes(weights)
        eventually(lambda: model.status().reloads == 1)


def test_a_model_that_vanishes_and_comes_back(folder: Path) -> None:
    kept = folder.with_name("kept")
    with handle(folder, watch=0.05) as model:
        answer = model(0)
        os.rename(folder, kept)
        eventually(lambda: model.status().failures == 1)
        assert model(0) == answer
        os.rename(kept, folder)
        new = put("3.3.1/transformer", folder)
        eventually(lambda: model(0) == new)


def test_a_link_that_is_turned(tmp_path: Path) -> None:
    for name, identity in (("v1", "2.6.2/classifier"), ("v2", "3.3.1/transformer")):
        (tmp_path / name).mkdir()
        put(identity, tmp_path / name)
    os.symlink("v1", tmp_path / "current")
    seen: list[str] = []

    def load(path: str) -> Model:
        seen.append(path)
        return Model(path)

    with ModelHandle(tmp_path / "current" / "model", load=load, watch=0.05) as model:
        os.symlink("v2", tmp_path / "next")
        os.replace(tmp_path / "next", tmp_path / "current")
        eventually(lambda: model.status().generation == 2)
    # Never through the link: program and weights come from one directory.
    assert seen == [str(tmp_path / "v1" / "model"), str(tmp_path / "v2" / "model")]


def test_the_clock_may_be_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = time.time() - 1e9
    with handle(folder, watch=0.05) as model:
        monkeypatch.setattr(time, "time", lambda: moved)
        new = put("3.3.1/transformer", folder)
        for file in folder.iterdir():
            os.utime(file, (moved, moved))
        eventually(lambda: model(0) == new)


def test_a_file_replaced_during_the_load_is_loaded_again(folder: Path) -> None:
    calls = 0

    def load(path: str) -> Model:
        nonlocal calls
        calls += 1
        if calls == 2:
            put("3.3.1/transformer", folder)
            raise DamagedArtifactError("changed while the model was being loaded")
        return Model(path)

    with handle(folder, load=load) as model:
        assert model.reload()
        assert calls == 3
        assert model(0) == (folder / "model.pdiparams").stat().st_size


def test_state_and_hash_tell_apart_what_differs(folder: Path) -> None:
    path = str(folder / "model")
    state = file_state.model_state(path)
    digest = file_state.content_hash(state)
    assert file_state.model_state(path) == state
    put("2.6.2/classifier", folder)
    again = file_state.model_state(path)
    assert again != state
    assert file_state.content_hash(again) == digest
    with open(folder / "model.pdiparams", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x55")
    assert file_state.content_hash(file_state.model_state(path)) != digest


def test_options_belong_to_one_load_or_the_other(folder: Path) -> None:
    with pytest.raises(UsageError, match="device"):
        ModelHandle(folder / "model", load=Model, device="cpu")


def test_errors_of_a_call_reach_the_caller_and_leave_nobody_inside(folder: Path) -> None:
    def load(path: str) -> Callable[[int], float]:
        return lambda number: 1 / number

    with handle(folder, load=load) as model:
        with pytest.raises(ZeroDivisionError):
            model(0)
        assert model.status().in_flight == 0


def test_status_is_plain_data(folder: Path) -> None:
    with handle(folder, name="ocr") as model:
        status = pickle.loads(pickle.dumps(model.status()))
    assert status.name == "ocr"
