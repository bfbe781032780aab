"""A seeded generator of damaged artifacts, made from sound ones.

``damaged(models, numbers, seed)`` gives the same cases for the same arguments, everywhere, so a
case that fails can be named by its number. Each case says whether it must be refused: what is
missing, cut short, or of another model cannot be loaded; a flipped bit may hit raw data, which
nothing but a checksum could notice, and Paddle writes none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Endings of what is damaged; settings and expected outputs that stand beside are left out.
PROGRAMS = (".pdmodel", ".json", "__model__", "model")
WEIGHTS = (".pdiparams", "__params__", "params", "weights")
_OTHERS = (".pdiparams.info", ".meta", ".yml")


@dataclass(frozen=True)
class Model:
    """The files of one sound artifact: name in its folder → bytes."""

    name: str
    prefix: str
    files: Mapping[str, bytes]

    def named(self, endings: Sequence[str]) -> list[str]:
        return sorted(name for name in self.files if name.endswith(tuple(endings)))


@dataclass(frozen=True)
class Case:
    """One damaged artifact. ``must_fail``: no loader may accept it.

    ``cause`` is what was done to what, the same in every model: ``conv2d attr dilations emptied``.
    """

    number: int
    model: str
    prefix: str
    what: str
    files: Mapping[str, bytes]
    must_fail: bool
    cause: str = ""

    def write(self, folder: Path) -> Path:
        """Write the files; what to give a loader."""
        for name, data in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return folder / self.prefix if self.prefix else folder


def read_model(folder: Path, prefix: str) -> Model:
    """The artifact in ``folder``, without what does not belong to a model."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("case.json", "io.npz")
    }
    return Model(f"{folder.parent.name}/{folder.name}", prefix, files)


_Damage = tuple[str, dict[str, bytes], bool]
_Way = Callable[["Model", "Sequence[Model]", random.Random], "_Damage | None"]


def damaged(models: Sequence[Model], numbers: Iterable[int], seed: int) -> Iterator[Case]:
    """The cases of those numbers; every way of damage is used on every model in turn."""
    for number in numbers:
        chance = random.Random(f"{seed}:{number}")
        model = models[number % len(models)]
        way = WAYS[(number // len(models)) % len(WAYS)]
        case = damaged_once(number, model, models, chance, way)
        if case is not None:
            yield case


def damaged_once(
    number: int, model: Model, models: Sequence[Model], chance: random.Random, way: _Way
) -> Case | None:
    """The case that one way makes of one model; None if there is no program to damage."""
    made = way(model, models, chance)
    if made is None:  # this model has no file that this way could damage
        way = truncate_program
        made = way(model, models, chance)
        if made is None:
            return None
    what, files, must_fail = made
    cause = f"bytes {way.__name__}"
    return Case(number, model.name, model.prefix, what, files, must_fail, cause)


def _pick(names: Sequence[str], chance: random.Random) -> str | None:
    return chance.choice(names) if names else None


def _changed(model: Model, name: str, data: bytes) -> dict[str, bytes]:
    return {**model.files, name: data}


def truncate_program(
    model: Model, models: Sequence[Model], chance: random.Random
) -> _Damage | None:
    name = _pick(model.named(PROGRAMS), chance)
    if name is None:
        return None
    length = chance.randrange(1, len(model.files[name]))
    # A protobuf cut between two fields is a whole one, only shorter; JSON never is.
    must_fail = name.endswith(".json")
    files = _changed(model, name, model.files[name][:length])
    return f"{name} cut to {length} bytes", files, must_fail


def truncate_weights(
    model: Model, models: Sequence[Model], chance: random.Random
) -> _Damage | None:
    name = _pick(model.named(WEIGHTS), chance)
    if name is None:
        return None
    length = chance.randrange(0, len(model.files[name]))
    return f"{name} cut to {length} bytes", _changed(model, name, model.files[name][:length]), True


def empty_file(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(model.named((*PROGRAMS, *WEIGHTS)), chance)
    return None if name is None else (f"{name} empty", _changed(model, name, b""), True)


def missing_file(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(model.named((*PROGRAMS, *WEIGHTS)), chance)
    if name is None:
        return None
    files = {other: data for other, data in model.files.items() if other != name}
    # Without the file of an extra method, or one of two programs, there is a model still.
    return f"{name} missing", files, len(model.named(PROGRAMS)) == 1


def flip_bits(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(sorted(model.files), chance)
    if name is None or not model.files[name]:
        return None
    data = bytearray(model.files[name])
    places = [chance.randrange(len(data)) for _ in range(chance.choice((1, 1, 1, 2, 8, 64)))]
    for place in places:
        data[place] ^= 1 << chance.randrange(8)
    return f"{name} with bits flipped at {places[:4]}", _changed(model, name, bytes(data)), False


def flip_header(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    """One bit in the first 64 bytes, where a file says what it is."""
    name = _pick(sorted(model.files), chance)
    if name is None or not model.files[name]:
        return None
    data = bytearray(model.files[name])
    place = chance.randrange(min(64, len(data)))
    data[place] ^= 1 << chance.randrange(8)
    return f"{name} with a bit flipped at {place}", _changed(model, name, bytes(data)), False


def zero_run(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(sorted(model.files), chance)
    if name is None or not model.files[name]:
        return None
    data = bytearray(model.files[name])
    start = chance.randrange(len(data))
    length = min(len(data) - start, chance.choice((1, 4, 16, 512, 4096)))
    data[start : start + length] = bytes(length)
    return f"{name} zeroed at {start}, {length} bytes", _changed(model, name, bytes(data)), False


def swap_weights(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(model.named(WEIGHTS), chance)
    donors = [
        (other.name, data)
        for other in models
        # Weights of one network in two releases are interchangeable.
        if other.name.rpartition("/")[2] != model.name.rpartition("/")[2]
        for donated, data in other.files.items()
        if name is not None and donated.endswith(WEIGHTS) and len(data) != len(model.files[name])
    ]
    if name is None or not donors:
        return None
    donor, data = chance.choice(donors)
    return f"{name} taken from {donor}", _changed(model, name, data), True


def splice(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    """The head of one file and the tail of another of its kind."""
    endings = chance.choice((PROGRAMS, WEIGHTS))
    name = _pick(model.named(endings), chance)
    donor = chance.choice(models)
    other = _pick(donor.named(endings), chance)
    if name is None or other is None:
        return None
    head, tail = model.files[name], donor.files[other]
    cut, start = chance.randrange(len(head)), chance.randrange(len(tail))
    files = _changed(model, name, head[:cut] + tail[start:])
    return f"{name} to byte {cut}, then {donor.name}/{other} from {start}", files, False


def append_bytes(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(model.named(WEIGHTS), chance)
    if name is None:
        return None
    extra = chance.randbytes(chance.randrange(1, 64))
    return f"{name} with bytes behind", _changed(model, name, model.files[name] + extra), True


def foreign_file(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    name = _pick(model.named((*PROGRAMS, *WEIGHTS)), chance)
    if name is None:
        return None
    what, data = chance.choice(_FOREIGN)
    data = data or chance.randbytes(chance.randrange(1, 4096))
    return f"{name} is {what}", _changed(model, name, data), True


def mutate_text(model: Model, models: Sequence[Model], chance: random.Random) -> _Damage | None:
    """Valid JSON that says something else: a number, a name or a bracket exchanged."""
    name = _pick(model.named((".json",)), chance)
    if name is None:
        return None
    old, new = chance.choice(_REPLACEMENTS)
    data = model.files[name]
    places = data.count(old)
    if not places:
        return None
    pieces = data.split(old)
    place = chance.randrange(places)
    data = old.join(pieces[: place + 1]) + new + old.join(pieces[place + 1 :])
    return f"{name} with {old!r} {place} as {new!r}", _changed(model, name, data), False


_FOREIGN: tuple[tuple[str, bytes], ...] = (
    ("random bytes", b""),
    ("a pickle", b"\x80\x02}q\x00."),
    ("a zip", b"PK\x03\x04" + bytes(60)),
    ("a web page", b"<!DOCTYPE html><html><body>404</body></html>"),
    ("a Git LFS pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    ("zeros", bytes(4096)),
    ("deep brackets", b"[" * 200_000),
    ("deep objects", b'{"program":' * 100_000),
    ("deep messages", b"\x0a\x7f" * 100_000),
)

_REPLACEMENTS: tuple[tuple[bytes, bytes], ...] = (
    (b'"%":1', b'"%":999999'),
    (b'"%":2', b'"%":1'),
    (b'"%":', b'"%":-'),
    (b'"%":', b'"%":1e'),
    (b"[]", b"[[]]"),
    (b"[]", b"{}"),
    (b"[]", b"null"),
    (b'"D":[', b'"D":[[],'),
    (b"0.t_f32", b"0.t_f99"),
    (b"0.t_dtensor", b"0.t_vec"),
    (b'"#"', b'"##"'),
    (b"false", b"0"),
    (b"true", b"NaN"),
    (b"0.0", b"1e999"),
    (b'"pir"', b'"rip"'),
    (b'"version":', b'"version":-'),
    (b"1.", b"\\ud800"),
    (b"NCHW", b"\xff\xfe"),
    (b",", b",,"),
)

WAYS: tuple[_Way, ...] = (
    truncate_program,
    truncate_weights,
    empty_file,
    missing_file,
    flip_bits,
    flip_header,
    zero_run,
    swap_weights,
    splice,
    append_bytes,
    foreign_file,
    mutate_text,
)
