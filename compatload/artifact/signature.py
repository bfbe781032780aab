"""What a file is, told by its first bytes. Names are a hint at most, never the decision."""

from __future__ import annotations

import enum
import re

from compatload.artifact.model import Format
from compatload.errors import ArtifactError, DamagedArtifactError, UnsupportedFormatError

# Enough for every signature below; JSON written with the indenting option needs some room.
HEAD_BYTES = 4096


class Kind(str, enum.Enum):
    """What kind of content a file has, one for each thing that is worded differently."""

    EMPTY = "empty file"
    PIR = "PIR program"
    JSON = "JSON document"
    LEGACY = "legacy program"
    LEGACY_TEXT = "text form of a legacy program"
    WEIGHTS = "weights in Paddle's combined format"
    PICKLE = "pickle"
    SAFETENSORS = "safetensors file"
    PADDLE_LITE = "Paddle-Lite model (.nb)"
    ENCRYPTED = "encrypted Paddle model"
    DISTRIBUTED_CHECKPOINT = "distributed checkpoint"
    ONNX = "ONNX model"
    TORCH = "PyTorch file"
    ZIP = "zip archive"
    TAR = "tar archive"
    GZIP = "gzip file"
    HDF5 = "HDF5 file"
    LFS_POINTER = "Git LFS pointer"
    HTML = "web page"
    UNKNOWN = "file of no known format"


PROGRAMS = {
    Kind.PIR: Format.PIR,
    Kind.LEGACY: Format.LEGACY,
    Kind.LEGACY_TEXT: Format.LEGACY_TEXT,
}

# Formats that hold no program, or none that Paddle loads: kind → the one thing to do.
_ADVICE: dict[Kind, str] = {
    Kind.PICKLE: (
        "Give the files that paddle.jit.save wrote (.pdmodel or .json, with .pdiparams), or load "
        "this one with paddle.load into the layer that it belongs to."
    ),
    Kind.SAFETENSORS: (
        "Load these tensors into the layer that they belong to, and export it with paddle.jit.save."
    ),
    Kind.PADDLE_LITE: "Give the model that it was made from; only Paddle-Lite reads .nb files.",
    Kind.ENCRYPTED: "Decrypt it first, with the key and tool of its vendor.",
    Kind.DISTRIBUTED_CHECKPOINT: (
        "Load it into its layer with paddle.distributed.load_state_dict, and export that with "
        "paddle.jit.save."
    ),
    Kind.ONNX: "Run it with onnxruntime, or convert it with X2Paddle.",
    Kind.TORCH: "Convert it with X2Paddle, or load it with PyTorch.",
    Kind.ZIP: "Unpack it, and give the model inside.",
    Kind.TAR: "Unpack it, and give the model inside.",
    Kind.GZIP: "Unpack it, and give the model inside.",
    Kind.HDF5: "Give the files that paddle.jit.save wrote.",
    Kind.JSON: "Give the .json file that paddle.jit.save wrote.",
    Kind.WEIGHTS: "Give the program (.pdmodel or .json) that it belongs to.",
}
# Not the model at all, but what stands where it should be.
_DAMAGED: dict[Kind, str] = {
    Kind.EMPTY: "Fetch or save the model again.",
    Kind.LFS_POINTER: "Run `git lfs pull` to fetch the file itself.",
    Kind.HTML: "Download the model again; this is the page of an error or a login.",
    Kind.UNKNOWN: "Fetch or save the model again.",
}

# (offset, bytes, kind): the plain ones.
_MAGIC: tuple[tuple[int, bytes, Kind], ...] = (
    (0, b"PK\x03\x04", Kind.ZIP),
    (0, b"\x1f\x8b", Kind.GZIP),
    (0, b"\x89HDF\r\n\x1a\n", Kind.HDF5),
    (257, b"ustar", Kind.TAR),
    (0, b"version https://git-lfs.github.com/spec/", Kind.LFS_POINTER),
    (0, b"PADDLE", Kind.ENCRYPTED),
)

_TORCH_LEGACY_MAGIC = b"\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"  # 0x1950a86a20f9469cfc6c
_NB = re.compile(rb"[\x00-\x02]\x00v?\d+\.\d+")
_HTML = re.compile(rb"\s*<(!doctype\s+html|html|\?xml)", re.IGNORECASE)
_TEXT_PROGRAM = re.compile(rb"(\s|#[^\n]*\n)*blocks\s*:?\s*\{")
_PIR = re.compile(rb'"magic"\s*:\s*"pir"')
# A combined record: u32 0, u64 LoD levels (small), …; without LoD u32 0 and a length follow.
_WEIGHTS = re.compile(
    rb"\x00{4}(?:\x00{8}\x00{4}[\x02-\xff][\x00-\x0f]\x00\x00\x08|[\x01-\x08]\x00{7})", re.DOTALL
)
_SAFETENSORS = re.compile(rb".{5}\x00{3}\{", re.DOTALL)
_ONNX = re.compile(rb"\x08[\x01-\x40](?:[\x12\x1a\x22\x2a\x32\x3a\x42])", re.DOTALL)


def recognise(head: bytes, name: str = "") -> Kind:
    """The kind of a file from its first ``HEAD_BYTES`` bytes (or all of them).

    ``name`` decides only where the content cannot: a ``.distcp`` file is a pickle, too, and
    Paddle's own encryption leaves no magic.
    """
    if not head:
        return Kind.EMPTY
    for offset, magic, kind in _MAGIC:
        if head.startswith(magic, offset):
            return Kind.TORCH if kind is Kind.ZIP and _is_torch_zip(head) else kind
    if head[0] == 0x80 and len(head) > 1 and head[1] <= 5:
        if _TORCH_LEGACY_MAGIC in head[:64]:
            return Kind.TORCH
        if name.endswith((".distcp", ".metadata")):
            return Kind.DISTRIBUTED_CHECKPOINT
        return Kind.PICKLE
    if name.endswith(".encrypted"):
        return Kind.ENCRYPTED
    if _WEIGHTS.match(head):
        return Kind.WEIGHTS
    if _SAFETENSORS.match(head):
        return Kind.SAFETENSORS
    if _NB.match(head):
        return Kind.PADDLE_LITE
    return _recognise_program(head, name)


def _recognise_program(head: bytes, name: str) -> Kind:
    text = head.removeprefix(b"\xef\xbb\xbf")
    stripped = text.lstrip()
    if stripped.startswith(b"{"):
        return Kind.PIR if is_pir(text) else Kind.JSON
    if _HTML.match(text):
        return Kind.HTML
    if _TEXT_PROGRAM.match(text):
        return Kind.LEGACY_TEXT
    if head[0] == 0x0A:
        return Kind.LEGACY
    if _ONNX.match(head) and (name.endswith(".onnx") or b"onnx" in head or b"ytorch" in head):
        return Kind.ONNX
    if name.endswith(".onnx"):
        return Kind.ONNX
    return Kind.UNKNOWN


def is_pir(text: bytes) -> bool:
    """Whether JSON carries the mark of a PIR program; writers may put it anywhere."""
    return _PIR.search(text) is not None


def _is_torch_zip(head: bytes) -> bool:
    return b"data.pkl" in head[:512]


def not_a_program(path: str, kind: Kind) -> ArtifactError:
    """The error for a file that stands where a program is wanted."""
    if kind in _ADVICE:
        return UnsupportedFormatError(
            f"{path} is {_named(kind)}, no program that Paddle could load.",
            action=_ADVICE[kind],
            artifact=path,
        )
    return DamagedArtifactError(
        f"{path} is {_named(kind)}, no Paddle program.",
        action=_DAMAGED[kind],
        artifact=path,
    )


def _named(kind: Kind) -> str:
    if kind is Kind.WEIGHTS:
        return str(kind.value)
    return f"a{'n' if kind.value[0] in 'aeiou' else ''} {kind.value}"
