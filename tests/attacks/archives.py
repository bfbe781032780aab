"""Damaged and hostile archives of models, for ``compatload check``."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping

_BOMB = 24 << 20  # bytes unpacked of one member: enough to see whether sums are limited
_NAMES = ("../../x.pdmodel", "/tmp/x.pdmodel", "a\x00b.json", "", ".", "C:\\x.json", "a" * 60000)
Files = Mapping[str, bytes]


def damage_archive(files: Files, chance: random.Random) -> tuple[str, str, str, bytes]:
    """(what, cause, name of the archive, bytes)."""
    what, made = chance.choice(_WAYS)(files, chance)
    suffix, data = made
    cause = f"{suffix} {what}"
    if chance.random() < 0.3:
        data, flipped = _flipped(data, chance)
        what, cause = f"{what}, {flipped}", f"{cause}, bytes changed"
    return what, cause, f"models{suffix}", data


_Made = tuple[str, bytes]


def _flipped(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    """A few bytes changed, near an end where the directory of an archive stands, or anywhere."""
    changed = bytearray(data or b"\0")
    near = chance.choice((len(data), min(600, len(data))))
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = len(changed) - 1 - chance.randrange(near or 1)
        if chance.random() < 0.3:
            place = chance.randrange(min(600, len(changed)))
        changed[place] = chance.choice((0, 255, changed[place] ^ 1 << chance.randrange(8)))
    cut = chance.randrange(len(changed)) if chance.random() < 0.2 else len(data)
    return bytes(changed[:cut]), "bytes changed" if cut == len(data) else f"cut to {cut}"


def _zip(files: Files, chance: random.Random, names: tuple[str, ...] = ()) -> bytes:
    stream = io.BytesIO()
    method = chance.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in (*files.items(), *((name, b"{}") for name in names)):
            # A date of its own: the same archive every time.
            archive.writestr(zipfile.ZipInfo(name or "x"), data, method)
    return stream.getvalue()


def _packed_tar(raw: bytes, chance: random.Random) -> _Made:
    kind = chance.choice((".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"))
    if kind in (".tar.gz", ".tgz"):
        return kind, gzip.compress(raw, 1, mtime=0)
    if kind == ".tar.bz2":
        return kind, bz2.compress(raw, 1)
    return kind, lzma.compress(raw, preset=0) if kind == ".tar.xz" else raw


def _tar(
    files: Files, extra: tuple[tarfile.TarInfo, ...] = (), form: int = tarfile.PAX_FORMAT
) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for info in extra:
            archive.addfile(info, io.BytesIO(bytes(info.size)))
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def plain_zip(files: Files, chance: random.Random) -> tuple[str, _Made]:
    return "sound", (".zip", _zip(files, chance))


def plain_tar(files: Files, chance: random.Random) -> tuple[str, _Made]:
    return "sound", _packed_tar(_tar(files), chance)


def odd_names(files: Files, chance: random.Random) -> tuple[str, _Made]:
    names = tuple(chance.sample(_NAMES, 3))
    if chance.random() < 0.5:
        return "odd names", (".zip", _zip(files, chance, names))
    return "odd names", _packed_tar(_tar(files, tuple(map(tarfile.TarInfo, names))), chance)


def links(files: Files, chance: random.Random) -> tuple[str, _Made]:
    extra = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        info = tarfile.TarInfo(chance.choice(sorted(files)))
        info.type, info.linkname = kind, chance.choice(("/etc/passwd", "..", info.name))
        extra.append(info)
    return "links and devices", _packed_tar(_tar(files, tuple(extra)), chance)


def overlapping(files: Files, chance: random.Random) -> tuple[str, _Made]:
    """Entries of a zip's directory that all point at the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        data = b"{},{}," * (_BOMB // 6)
        archive.writestr(zipfile.ZipInfo("a0.json"), data, zipfile.ZIP_DEFLATED)
        one = archive.infolist()[0]
        for number in range(1, chance.choice((5, 20, 60))):
            again = zipfile.ZipInfo(f"a{number}.json")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(again, name, getattr(one, name))
            archive.filelist.append(again)
    return "overlapping entries", (".zip", stream.getvalue())


def bomb(files: Files, chance: random.Random) -> tuple[str, _Made]:
    name = chance.choice(("m.json", "m.pdmodel", "m.pdiparams", "m.py", "__model__"))
    unit = chance.choice((b"\0", b"{},", b"[", b'{"program":', b"\x0a\x7f", b"x = 1\n"))
    data = unit * (chance.choice((1, 4)) * _BOMB // len(unit))
    if chance.random() < 0.5:
        return f"bomb of {unit!r}", (".zip", _zip({**files, name: data}, chance))
    return f"bomb of {unit!r}", _packed_tar(_tar({**files, name: data}), chance)


def many_members(files: Files, chance: random.Random) -> tuple[str, _Made]:
    many = {f"m{number}.json": b"{}" for number in range(chance.choice((500, 5000)))}
    if chance.random() < 0.5:
        return "many members", (".zip", _zip({**many, **files}, chance))
    return "many members", _packed_tar(_tar({**many, **files}), chance)


def nested(files: Files, chance: random.Random) -> tuple[str, _Made]:
    data = _zip(files, chance)
    for _ in range(chance.choice((1, 3, 40))):
        data = _zip({"inner.zip": data}, chance)
    return "nested", (".zip", data)


def big_header(files: Files, chance: random.Random) -> tuple[str, _Made]:
    """A member whose extended header is long, or says a size that is none."""
    info = tarfile.TarInfo("m.json")
    info.pax_headers = chance.choice(
        (
            {"comment": "x" * (3 << 20)},
            {"size": "-1"},
            {"size": str(2**62)},
            {"GNU.sparse.realsize": str(2**50), "GNU.sparse.major": "1", "GNU.sparse.minor": "0"},
            {"path": "y" * 100_000},
            {"mtime": "nan"},
        )
    )
    return f"header {sorted(info.pax_headers)}", _packed_tar(_tar(files, (info,)), chance)


def lying_sizes(files: Files, chance: random.Random) -> tuple[str, _Made]:
    """A tar whose first member says another size than it has; its checksum is right."""
    raw = bytearray(_tar(files, form=tarfile.GNU_FORMAT))
    size = chance.choice((b"77777777777\0", b"\x80" + b"\xff" * 11, b"\xff" * 12, b"00000000000\0"))
    raw[124:136] = size
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return "size that lies", _packed_tar(bytes(raw), chance)


def misnamed(files: Files, chance: random.Random) -> tuple[str, _Made]:
    data = chance.choice(
        (_zip(files, chance), _tar(files), gzip.compress(b"x", mtime=0), b"", b"PK\x05\x06")
    )
    return "another kind", (chance.choice((".zip", ".tar", ".tar.gz", ".tar.xz", ".whl")), data)


_WAYS: tuple[Callable[[Files, random.Random], tuple[str, _Made]], ...] = (
    plain_zip,
    plain_tar,
    odd_names,
    links,
    overlapping,
    bomb,
    many_members,
    nested,
    big_header,
    lying_sizes,
    misnamed,
)
