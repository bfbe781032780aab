"""The conversion cache: one conversion among many processes, complete entries or none, no trust."""

from __future__ import annotations

import errno
import json
import logging
import os
import random
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import filelock
import pytest

from compatload.errors import ConversionError, UsageError
from compatload.store import cache as cache_module
from compatload.store import entry as cache_entry
from compatload.store.cache import (
    VARIABLE,
    ConversionCache,
    default_root,
)
from compatload.store.entry import (
    MANIFEST,
    Footprint,
    UntrustedError,
    content_key,
    footprint,
    verify,
)
from compatload.store.linking import identity, link
from tests.crowd import Crowd
from tests.small_disk import small_disk

KEY = content_key("program", "weights", "3.0.0")
ROOT = Path(__file__).resolve().parent.parent.parent
posix_only = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")


@pytest.fixture(autouse=True)
def _no_earlier_temporaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier test left for this process must not answer for this one."""
    monkeypatch.setattr(cache_module, "_temporaries", {})


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "source" / "model.pdiparams"
    path.parent.mkdir()
    path.write_bytes(os.urandom(10000))
    return path


@pytest.fixture
def cache(tmp_path: Path) -> ConversionCache:
    return ConversionCache(tmp_path / "cache")


def write(directory: Path) -> None:
    (directory / "model.json").write_text("{}")


def never(directory: Path) -> None:
    pytest.fail("made a second time")


def test_made_once(cache, weights):
    first = cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    assert (first / "model.json").read_text() == "{}"
    assert (first / "model.pdiparams").read_bytes() == weights.read_bytes()
    assert cache.get_or_create(KEY, never) == first
    assert ConversionCache(cache.path).get_or_create(KEY, never) == first


def test_another_key_is_another_entry(cache):
    other = content_key("program", "weights", "3.1.0")
    assert cache.get_or_create(KEY, write) != cache.get_or_create(other, write)


def test_keys_depend_on_every_part_and_its_bounds():
    keys = {
        content_key("a", "b"),
        content_key("ab"),
        content_key("a", "b", ""),
        content_key("", "ab"),
        content_key("b", "a"),
    }
    assert len(keys) == 5
    assert content_key("a", b"b") == content_key(b"a", "b")


@pytest.mark.parametrize("key", ["", "../../etc", "abc/def", "XYZ", "a" * 8 + "\0"])
def test_what_is_no_key_is_refused(cache, key):
    with pytest.raises(UsageError):
        cache.get_or_create(key, write)
    assert not cache.path.exists()


def test_a_failed_conversion_leaves_nothing(cache):
    def fail(directory: Path) -> None:
        write(directory)
        raise ConversionError("no")

    with pytest.raises(ConversionError):
        cache.get_or_create(KEY, fail)
    assert cache.entries() == ()
    assert list((cache.path / "making").iterdir()) == []
    assert cache.get_or_create(KEY, write).is_dir()


def test_a_maker_without_rights_elsewhere_is_told_so(cache):
    def fail(directory: Path) -> None:
        raise PermissionError(errno.EACCES, "not yours", "/somewhere/else")

    with pytest.raises(PermissionError):
        cache.get_or_create(KEY, fail)


def test_missing_weights_are_told(cache, tmp_path):
    with pytest.raises(FileNotFoundError):
        cache.get_or_create(KEY, write, weights={"model.pdiparams": tmp_path / "none"})
    assert cache.entries() == ()


# --- what is in an entry -------------------------------------------------------------------


def altered_program(entry: Path) -> None:
    # Same length and time: only the hash can tell.
    status = (entry / "model.json").stat()
    (entry / "model.json").write_text("[]")
    os.utime(entry / "model.json", ns=(status.st_atime_ns, status.st_mtime_ns))


def cut_manifest(entry: Path) -> None:
    text = (entry / MANIFEST).read_text()
    (entry / MANIFEST).write_text(text[: len(text) // 2])


def foreign_manifest(entry: Path) -> None:
    manifest = json.loads((entry / MANIFEST).read_text())
    (entry / MANIFEST).write_text(json.dumps({**manifest, "key": "0" * 64}))


def escaping_manifest(entry: Path) -> None:
    manifest = json.loads((entry / MANIFEST).read_text())
    files = {**manifest["files"], "../../escaped": manifest["files"]["model.json"]}
    (entry / MANIFEST).write_text(json.dumps({**manifest, "files": files}))


def huge_manifest(entry: Path) -> None:
    (entry / MANIFEST).write_text(" " * (1 << 21))


def link_for_a_file(entry: Path) -> None:
    (entry / "model.json").unlink()
    (entry / "model.json").symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    "damage",
    [
        altered_program,
        cut_manifest,
        foreign_manifest,
        escaping_manifest,
        huge_manifest,
        link_for_a_file,
        lambda entry: (entry / "model.json").unlink(),
        lambda entry: (entry / MANIFEST).unlink(),
        lambda entry: (entry / "extra.json").write_text("{}"),
        lambda entry: (entry / MANIFEST).write_text("[" * 100000),
        lambda entry: (entry / MANIFEST).write_text("[]"),
        lambda entry: (entry / MANIFEST).write_bytes(b"\xff\xfe"),
    ],
)
def test_a_damaged_entry_is_made_again(cache, damage, caplog):
    entry = cache.get_or_create(KEY, write)
    damage(entry)
    made = []
    with caplog.at_level(logging.WARNING, "compatload"):
        again = cache.get_or_create(KEY, lambda directory: (made.append(1), write(directory)))
    assert again == entry
    assert made == [1]
    assert (entry / "model.json").read_text() == "{}"
    assert not (entry / "model.json").is_symlink()
    assert "is not used" in caplog.text
    verify(entry, KEY)


def test_an_entry_that_was_copied_is_believed(cache, tmp_path):
    """As an image of a container is: other files, and times of whole seconds."""
    cache.get_or_create(KEY, write)
    copied = ConversionCache(shutil.copytree(cache.path, tmp_path / "layer"))
    entry = copied.path / "entries" / KEY
    os.utime(entry / "model.json", (0, 1_700_000_000))
    assert copied.find(KEY) == entry
    (entry / "model.json").write_text("[]")
    assert copied.find(KEY) is None


def test_a_file_is_hashed_again_only_when_it_was_touched(cache, monkeypatch):
    entry = cache.get_or_create(KEY, write)
    hashed = []
    monkeypatch.setattr(
        cache_entry, "identity", lambda path: hashed.append(path.name) or identity(path)
    )
    verify(entry, KEY)
    assert hashed == ["model.json"]
    verify(entry, KEY)  # too soon after it was written to be told from a second change
    assert hashed == ["model.json"] * 2
    time.sleep(0.15)
    for _ in range(3):
        verify(entry, KEY)
    assert hashed == ["model.json"] * 3
    altered_program(entry)
    with pytest.raises(UntrustedError, match="does not have the content"):
        verify(entry, KEY)


@posix_only
@pytest.mark.parametrize("part", ["", "model.json", MANIFEST])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_may_write_to_is_not_trusted(cache, part, mode):
    entry = cache.get_or_create(KEY, write)
    target = entry / part if part else entry
    target.chmod(target.stat().st_mode | mode)
    with pytest.raises(UntrustedError, match="others may write"):
        verify(entry, KEY)
    made = []
    cache.get_or_create(KEY, lambda directory: (made.append(1), write(directory)))
    assert made == [1]


@posix_only
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("part", ["", "model.json", MANIFEST])
def test_what_belongs_to_others_is_not_trusted(cache, part):
    entry = cache.get_or_create(KEY, write)
    os.chown(entry / part if part else entry, 12345, 12345)
    with pytest.raises(UntrustedError, match="belongs to another user"):
        verify(entry, KEY)
    made = []
    cache.get_or_create(KEY, lambda directory: (made.append(1), write(directory)))
    assert made == [1]


@posix_only
@pytest.mark.parametrize("part", ["", "entries", "making", "locks"])
def test_a_cache_that_others_may_write_to_is_not_used(cache, part, caplog):
    entry = cache.get_or_create(KEY, write)
    (cache.path / part).chmod(0o777)
    with caplog.at_level(logging.WARNING, "compatload"):
        elsewhere = cache.get_or_create(KEY, write)
    assert elsewhere != entry
    assert cache.path not in elsewhere.parents
    assert "not safe to use" in caplog.text


# --- weights -------------------------------------------------------------------------------


def test_weights_are_not_copied(cache, weights):
    entry = cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    how = json.loads((entry / MANIFEST).read_text())["files"]["model.pdiparams"]["how"]
    assert how in ("reflink", "hardlink")
    (listed,) = cache.entries()
    assert listed.own_bytes < 2000


def test_weights_written_to_in_place_make_the_entry_unused(cache, weights):
    entry = cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    how = json.loads((entry / MANIFEST).read_text())["files"]["model.pdiparams"]["how"]
    time.sleep(0.02)
    with weights.open("r+b") as file:
        file.write(b"other")
    made = []
    again = cache.get_or_create(
        KEY,
        lambda directory: (made.append(1), write(directory)),
        weights={"model.pdiparams": weights},
    )
    if how == "reflink":  # a file of its own: nothing changed in the cache
        assert made == []
    else:
        assert made == [1]
        assert (again / "model.pdiparams").read_bytes() == weights.read_bytes()


def test_weights_live_on_when_the_source_is_deleted(cache, weights):
    content = weights.read_bytes()
    cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    shutil.rmtree(weights.parent)
    entry = cache.get_or_create(KEY, never)
    assert (entry / "model.pdiparams").read_bytes() == content


def test_ways_to_link(tmp_path, weights, monkeypatch):
    assert link(weights, tmp_path / "first") in ("reflink", "hardlink")

    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("compatload.store.linking._reflink", lambda *_: False)
    assert link(weights, tmp_path / "second") == "symlink"
    assert (tmp_path / "second").readlink() == weights.resolve()
    monkeypatch.setattr(os, "symlink", refuse)
    assert link(weights, tmp_path / "third") == "copy"
    for name in ("first", "second", "third"):
        assert (tmp_path / name).read_bytes() == weights.read_bytes()


def test_a_symlinked_source_is_followed(tmp_path, weights):
    (tmp_path / "alias").symlink_to(weights)
    link(tmp_path / "alias", tmp_path / "target")
    weights.parent.joinpath("other").write_bytes(b"1")
    (tmp_path / "alias").unlink()
    assert (tmp_path / "target").read_bytes() == weights.read_bytes()


def test_symlinked_weights_that_vanish_make_the_entry_unused(cache, weights, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("compatload.store.linking._reflink", lambda *_: False)
    entry = cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    assert (entry / "model.pdiparams").is_symlink()
    assert cache.get_or_create(KEY, never) == entry
    moved = weights.rename(weights.with_name("moved"))
    made = []
    again = cache.get_or_create(
        KEY,
        lambda directory: (made.append(1), write(directory)),
        weights={"model.pdiparams": moved},
    )
    assert made == [1]
    assert (again / "model.pdiparams").read_bytes() == moved.read_bytes()


def test_identity_of_weights(tmp_path, monkeypatch):
    first, same, other = (tmp_path / name for name in ("first", "same", "other"))
    first.write_bytes(b"x" * 5000)
    same.write_bytes(b"x" * 5000)
    other.write_bytes(b"x" * 4999 + b"y")
    assert identity(first) == identity(same) != identity(other)
    # Beyond the limit the place counts: equal samples are no proof of equal files.
    monkeypatch.setattr("compatload.store.linking._WHOLE", 1000)
    assert identity(first) == identity(first)
    assert identity(first) != identity(same)


# --- size ----------------------------------------------------------------------------------


def fill(cache: ConversionCache, count: int, size: int) -> list[str]:
    keys = [content_key(str(number)) for number in range(count)]
    for age, key in enumerate(keys):
        entry = cache.get_or_create(
            key, lambda path: (path / "model.json").write_bytes(bytes(size))
        )
        used = time.time() - 10000 + age
        os.utime(entry / MANIFEST, (used, used))
    return keys


def test_the_least_recently_used_go_first(tmp_path):
    roomy = ConversionCache(tmp_path / "cache")
    keys = fill(roomy, 4, 1000)
    roomy.get_or_create(keys[0], never)  # used again
    tight = ConversionCache(tmp_path / "cache", limit=4200)
    tight.get_or_create(KEY, write)
    left = {entry.key for entry in tight.entries()}
    assert KEY in left
    assert keys[0] in left
    assert keys[1] not in left
    assert sum(entry.own_bytes for entry in tight.entries()) <= 4200


def test_a_footprint_says_what_the_manifest_says(cache, weights):
    entry = cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    (listed,) = cache.entries()
    assert footprint(entry) == Footprint(listed.path, listed.used, listed.own_bytes)


def test_forgetting(cache):
    entry = cache.get_or_create(KEY, write)
    cache.get_or_create(content_key("2"), write)
    cache.forget(KEY)
    cache.forget(KEY)
    assert not entry.exists()
    assert [entry.key for entry in cache.entries()] == [content_key("2")]


def test_what_was_just_used_is_not_taken_away(tmp_path):
    cache = ConversionCache(tmp_path / "cache", limit=10)
    first = cache.get_or_create(content_key("1"), write)
    second = cache.get_or_create(content_key("2"), write)
    assert first.is_dir()
    assert second.is_dir()


def test_abandoned_work_is_cleared_away(cache):
    cache.get_or_create(KEY, write)
    old, new = cache.path / "making" / "old", cache.path / "making" / "new"
    for directory in (old, new):
        directory.mkdir()
    past = time.time() - 3 * 24 * 3600
    os.utime(old, (past, past))
    cache.get_or_create(content_key("2"), write)
    assert not old.exists()
    assert new.exists()


def test_listing_and_clearing(cache):
    assert (cache.entries(), cache.clear()) == ((), 0)
    entry = cache.get_or_create(KEY, write, about={"source": "model.json"})
    (cache.path / "entries" / "junk").mkdir()
    (listed,) = cache.entries()
    assert (listed.key, listed.path, listed.about) == (KEY, entry, {"source": "model.json"})
    assert listed.created <= time.time()
    assert cache.clear() == 2
    assert cache.entries() == ()
    assert not entry.exists()
    assert list((cache.path / "making").iterdir()) == []


# --- places --------------------------------------------------------------------------------


def test_the_place(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "chosen"))
    assert default_root() == tmp_path / "chosen"
    assert ConversionCache().path == tmp_path / "chosen"
    monkeypatch.setenv(VARIABLE, "~/mine")
    assert default_root() == Path.home() / "mine"
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform.startswith("linux"):
        assert default_root() == tmp_path / "compatload"


@posix_only
def test_the_cache_is_private(cache):
    entry = cache.get_or_create(KEY, write)
    for directory in (cache.path, cache.path / "entries", entry):
        assert directory.stat().st_mode & 0o077 == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "256k") as place:
        yield place


def test_a_full_disk_is_survived(disk, caplog):
    cache = ConversionCache(disk / "cache")
    large = content_key("large")
    with caplog.at_level(logging.WARNING, "compatload"):
        entry = cache.get_or_create(
            large, lambda path: (path / "m.json").write_bytes(bytes(1 << 20))
        )
    assert disk not in entry.parents
    assert (entry / "m.json").stat().st_size == 1 << 20
    assert "No space left on device" in caplog.text
    assert cache.entries() == ()
    assert cache.get_or_create(large, never) == entry  # the same process does not do it again
    assert cache.get_or_create(KEY, write).parent.parent == cache.path  # a small one has room


def test_a_read_only_cache_is_read_and_survived(disk, caplog):
    cache = ConversionCache(disk / "cache")
    entry = cache.get_or_create(KEY, write)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert cache.get_or_create(KEY, never) == entry
    with caplog.at_level(logging.WARNING, "compatload"):
        other = cache.get_or_create(content_key("other"), write)
    assert disk not in other.parents
    assert "Read-only file system" in caplog.text
    assert ConversionCache(disk / "nowhere").get_or_create(content_key("third"), write).is_dir()


def test_weights_across_file_systems(disk, weights):
    cache = ConversionCache(disk / "cache")
    entry = cache.get_or_create(KEY, write, weights={"model.pdiparams": weights})
    assert (entry / "model.pdiparams").is_symlink()
    assert (entry / "model.pdiparams").read_bytes() == weights.read_bytes()
    assert cache.get_or_create(KEY, never) == entry


def test_no_room_anywhere_is_a_documented_error(cache):
    def full(directory: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(ConversionError, match=VARIABLE) as caught:
        cache.get_or_create(KEY, full)
    assert "No space left" in str(caught.value)


def test_a_place_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    assert ConversionCache(tmp_path / "file").get_or_create(content_key("f"), write).is_dir()
    assert ConversionCache(tmp_path / "file" / "x").get_or_create(content_key("g"), write).is_dir()


def test_temporary_entries_go_with_their_process(tmp_path):
    code = """
        import os, sys
        from pathlib import Path
        from compatload.store.cache import ConversionCache
        place = ConversionCache(sys.argv[1]).get_or_create("ab", lambda d: (d / "m").write_text(""))
        if os.fork() == 0:
            sys.exit(0)  # a child ends; the parent keeps its files
        os.wait()
        assert (place / "m").exists()
        print(place)
    """
    (tmp_path / "file").write_text("")
    done = run(code, tmp_path / "file")
    place = Path(done.stdout.strip().splitlines()[-1])
    assert place.name.startswith("compatload-")
    assert not place.exists()


# --- many at once ---------------------------------------------------------------------------


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment)


MAKER = """
import os, sys, time
from pathlib import Path
from compatload.store.cache import ConversionCache

def made(root, weights, log, pause):
    def make(directory):
        with open(log, "a") as file:
            file.write(f"{os.getpid()}\\n")
        for number in range(20):
            (directory / f"part{number}.json").write_bytes(bytes([number]) * 2000)
            time.sleep(float(pause) / 20)

    links = {"model.pdiparams": Path(weights)}
    entry = ConversionCache(root).get_or_create("ab" * 32, make, weights=links)
    for number in range(20):
        assert (entry / f"part{number}.json").read_bytes() == bytes([number]) * 2000
    assert (entry / "model.pdiparams").read_bytes() == Path(weights).read_bytes()
    return entry
"""


def start(*arguments: object) -> subprocess.Popen[str]:
    code = f"{MAKER}\nprint(made(*sys.argv[1:]))"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def test_32_processes_do_one_conversion(tmp_path, weights):
    log = tmp_path / "log"
    processes = [start(tmp_path / "cache", weights, log, 0.5) for _ in range(32)]
    outcomes = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * 32, outcomes
    assert len(log.read_text().split()) == 1
    assert len({out for out, _ in outcomes}) == 1


def test_threads_do_one_conversion(cache):
    made = []

    def make(directory: Path) -> None:
        made.append(threading.get_ident())
        time.sleep(0.1)
        write(directory)

    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(cache.get_or_create(KEY, make)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 8
    assert len(set(found)) == 1


@posix_only
def test_kills_at_random_moments_leave_no_damaged_entry(tmp_path, weights):
    """Each process dies somewhere in its conversion; whatever stands in the cache is whole."""
    chance = random.Random(7)
    root, log = tmp_path / "cache", tmp_path / "log"
    entry = root / "entries" / ("ab" * 32)
    arguments = [str(root), str(weights), str(log), "0.2"]
    killed = whole = 0
    with Crowd(f"{MAKER}\ndef act():\n    made(*{arguments})") as crowd:
        shutil.rmtree(entry)
        # Four at once: the dead one's lock must pass on.
        longest = crowd.took(4)
        shutil.rmtree(entry)
        for _ in range(25):
            killed += crowd.killed(4, after=chance.uniform(0.0, longest))
            if entry.exists():
                verify(entry, "ab" * 32)
                shutil.rmtree(entry)
                whole += 1
    assert killed > 25
    assert whole
    survivor = start(root, weights, log, 0)
    _, errors = survivor.communicate(timeout=60)
    assert survivor.returncode == 0, errors


def test_alone(cache):
    with cache.alone(KEY) as first, ConversionCache(cache.path).alone(KEY) as second:
        assert (first, second) == (True, False)
    with cache.alone(KEY) as again:
        assert again


def test_a_stuck_process_does_not_stop_others(cache, monkeypatch, caplog):
    monkeypatch.setattr(cache_module, "_PATIENCE", 0.1)
    cache.get_or_create(content_key("0"), write)
    with filelock.FileLock(cache.path / "locks" / KEY):  # noqa: SIM117
        with caplog.at_level(logging.WARNING, "compatload"):
            elsewhere = cache.get_or_create(KEY, write)
    assert cache.path not in elsewhere.parents
    assert "for too long" in caplog.text


def test_a_file_system_without_locks(cache, monkeypatch):
    def refuse(self: object) -> None:
        raise NotImplementedError("no locks here")

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    entry = cache.get_or_create(KEY, write)
    assert cache.get_or_create(KEY, never) == entry


def test_an_entry_made_meanwhile_is_kept(cache, monkeypatch):
    """Without locks two may finish; the second one's work is dropped, not the first one's."""
    monkeypatch.setattr(filelock.FileLock, "acquire", lambda self: None)
    numbers = iter(range(10))

    def slow(directory: Path) -> None:
        inner = ConversionCache(cache.path).get_or_create(KEY, write)
        os.utime(inner / "model.json", (1, 1))  # leaves a trace, and makes it damaged
        write(directory)
        next(numbers)

    def overtaken(directory: Path) -> None:
        ConversionCache(cache.path).get_or_create(KEY, write)
        (directory / "late.json").write_text("{}")

    entry = cache.get_or_create(KEY, overtaken)
    assert not (entry / "late.json").exists()
    cache.clear()
    entry = cache.get_or_create(KEY, slow)
    verify(entry, KEY)


@posix_only
@pytest.mark.parametrize("kind", ["link", "dangling", "file", "fifo"])
def test_what_was_planted_in_place_of_an_entry_is_replaced(
    cache: ConversionCache, tmp_path: Path, kind: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").write_bytes(b"")
    entry = cache.get_or_create(KEY, write)
    shutil.rmtree(entry)
    if kind == "file":
        entry.write_bytes(b"")
    elif kind == "fifo":
        os.mkfifo(entry)
    else:
        entry.symlink_to(other if kind == "link" else tmp_path / "nothing")
    assert cache.find(KEY) is None
    cache.keep(KEY, write)
    assert cache.find(KEY) == cache.get_or_create(KEY, never) == entry
    assert entry.is_dir()
    assert not entry.is_symlink()
    assert (other / "kept").exists()
