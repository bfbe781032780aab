"""Pickles are audited without being run: no trick gets a name past the table."""

from __future__ import annotations

import collections
import os
import pickle
import pickletools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compatload.artifact.info import write_info
from compatload.artifact.pickle_audit import audit_info, audit_state
from compatload.artifact.pickle_machine import OPERATIONS
from compatload.errors import ArtifactError, DamagedArtifactError, UnsafeArtifactError, UsageError

DATA = Path(__file__).parent / "data"
INFO = {"w": {"structured_name": "fc.weight", "stop_gradient": False, "trainable": True}}


class Command:
    """Would touch a file when unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


class Tensor:
    """Pickles as Paddle's dynamic tensor does."""

    def __reduce__(self):
        return tuple, (("name", np.ones(2, "float32")),)


class DenseTensor:
    """Pickles as Paddle's static tensor does."""

    def __init__(self, code: str = "data", scope: object = None) -> None:
        self.code, self.scope = code, scope

    def __reduce__(self):
        scope = {"data": np.ones((2, 3))} if self.scope is None else self.scope
        return eval, (self.code, scope)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_info_is_decoded_and_written_back(protocol: int) -> None:
    audit = audit_info(pickle.dumps(INFO, protocol))
    assert audit.value == INFO
    assert audit.globals == ()
    clean = write_info(audit.value)
    assert pickle.loads(clean) == INFO
    assert clean[:2] == b"\x80\x02"


names = st.text(max_size=8)
infos = st.dictionaries(
    names, st.dictionaries(names, st.one_of(st.text(max_size=8), st.booleans()), max_size=3)
)


@given(infos, st.integers(2, 5))
def test_any_info_survives(info: dict, protocol: int) -> None:
    assert audit_info(pickle.dumps(info, protocol)).value == info


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**100), 2**100)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(plain, st.integers(3, 5))
def test_plain_data_is_what_pickle_makes_of_it(value: object, protocol: int) -> None:
    assert audit_state(pickle.dumps(value, protocol)).value == value


@given(st.binary(max_size=300))
def test_any_bytes_end_in_data_or_a_documented_error(data: bytes) -> None:
    for audit in (audit_info, audit_state):
        try:
            audit(data)
        except (UnsafeArtifactError, DamagedArtifactError):
            continue


@given(st.data())
def test_a_changed_byte_never_calls_anything(data: st.DataObject) -> None:
    sound = pickle.dumps({"w": np.ones(3, "float32"), "lr": 0.1}, 4)
    place = data.draw(st.integers(0, len(sound) - 1))
    changed = bytearray(sound)
    changed[place] = data.draw(st.integers(0, 255))
    try:
        audit_state(bytes(changed))
    except ArtifactError:
        return


@pytest.mark.parametrize("audit", [audit_info, audit_state])
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_command_is_refused_and_not_run(audit, protocol: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(UnsafeArtifactError, match=r"posix\.system|nt\.system"):
        audit(pickle.dumps({"w": Command(mark)}, protocol))
    assert not mark.exists()


@pytest.mark.parametrize("protocol", [0, 1])
def test_protocols_that_paddle_never_wrote_are_refused(protocol: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(UnsafeArtifactError, match=r"posix\.system|nt\.system"):
        audit_info(pickle.dumps(Command(mark), protocol))
    with pytest.raises(UnsafeArtifactError, match="never writes"):
        audit_info(pickle.dumps(INFO, protocol))
    assert not mark.exists()


def test_numpy_arrays_and_paddle_tensors_are_state() -> None:
    state = {
        "w": np.arange(6, dtype="float32").reshape(2, 3),
        "h": np.ones(3, "float16"),
        "n": np.float32(3),
        "t": Tensor(),
        "d": DenseTensor(),
        "LR_Scheduler": {"last_epoch": 0, "last_lr": 0.1},
        "StructuredToParameterName@@": {"fc.weight": "w"},
        "o": collections.OrderedDict(a=1),
    }
    for protocol in (2, 3, 4):
        audit = audit_state(pickle.dumps(state, protocol))
        assert set(audit.value) == set(state)
        assert audit.value["LR_Scheduler"] == state["LR_Scheduler"]
        assert audit.value["o"] == {"a": 1}


@pytest.mark.parametrize(
    "tensor",
    [
        DenseTensor("__import__('os').system('true')"),
        DenseTensor("data", {"data": 1}),
        DenseTensor("data", {"data": np.ones(2), "x": 1}),
        DenseTensor("data", {"x": np.ones(2)}),
        DenseTensor("data.x"),
    ],
)
def test_eval_is_accepted_in_one_shape_only(tensor: DenseTensor) -> None:
    with pytest.raises(UnsafeArtifactError, match="eval"):
        audit_state(pickle.dumps(tensor, 2))


def test_info_may_hold_no_array() -> None:
    with pytest.raises(UnsafeArtifactError, match=r"multiarray\._reconstruct"):
        audit_info(pickle.dumps({"w": np.ones(1)}, 2))


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]),
        np.array(["2020"], dtype="datetime64[Y]"),
    ],
)
def test_arrays_of_other_things_are_refused(array: np.ndarray) -> None:
    with pytest.raises((UnsafeArtifactError, DamagedArtifactError)):
        audit_state(pickle.dumps(array, 4).replace(b"Nobject", b"Nstring"))


def test_an_array_with_too_little_data_is_refused() -> None:
    sound = pickle.dumps(np.zeros(5, "uint8"), 4)
    assert audit_state(sound)
    with pytest.raises(UnsafeArtifactError, match="array"):
        audit_state(sound.replace(b"K\x05\x85", b"K\x06\x85"))


def test_trusted_is_a_list_of_exact_names() -> None:
    data = pickle.dumps({"c": collections.Counter("a")}, 4)
    with pytest.raises(UnsafeArtifactError, match=r"collections\.Counter"):
        audit_state(data)
    assert audit_state(data, trusted=["collections.Counter"]).globals == ("collections.Counter",)
    for wrong in (True, "collections.Counter", [True]):
        with pytest.raises((UsageError, TypeError)):
            audit_state(data, trusted=wrong)
    with pytest.raises(UnsafeArtifactError):
        audit_state(data, trusted=["collections"])


def asm(*parts: bytes) -> bytes:
    return b"".join(parts)


def text(value: str) -> bytes:
    raw = value.encode()
    return b"\x8c" + bytes([len(raw)]) + raw


P4 = b"\x80\x04"
SYSTEM = text("os") + text("system") + b"\x93"

# name of the trick → a pickle that plays it
TRICKS = {
    "global of protocol 0": b"cos\nsystem\n(S'true'\ntR.",
    "stack_global": asm(P4, SYSTEM, text("true"), b"\x85R."),
    "stack_global from the memo": asm(
        P4, text("os"), b"q\x05", b"0", text("system"), b"q\x06", b"0h\x05h\x06\x93."
    ),
    "stack_global from long memo": asm(
        P4, text("os"), b"r\x00\x01\x00\x00", text("system"), b"j\x00\x01\x00\x00", b"\x94\x93."
    ),
    "memoize reassigned": asm(
        P4, text("numpy"), b"\x94", text("os"), b"q\x00", text("system"), b"h\x00", b"\x93."
    ),
    "dotted name": asm(P4, text("numpy"), text("ndarray.__class__"), b"\x93."),
    "name with a newline": b"\x80\x02cnumpy\nndarray\ncos\nsystem\n.",
    "inst": b"(S'true'\nios\nsystem\n.",
    "obj": asm(P4, b"(", SYSTEM, text("true"), b"o."),
    "newobj": asm(P4, text("numpy"), text("ndarray"), b"\x93", b")\x81."),
    "newobj_ex": asm(P4, text("numpy"), text("ndarray"), b"\x93", b")}\x92."),
    "extension": b"\x80\x02\x82\x01.",
    "persistent id": b"\x80\x02X\x01\x00\x00\x00aQ.",
    "persistent id, text": b"\x80\x02Pabc\n.",
    "build on a class": asm(P4, text("numpy"), text("ndarray"), b"\x93", b"}b."),
    "build on a dict": asm(P4, b"}}b."),
    "reduce of data": asm(P4, text("x"), b")R."),
    "buffer": b"\x80\x05\x97.",
    "dup": asm(P4, SYSTEM, b"2."),
    "byte array": b"\x80\x05\x96\x01\x00\x00\x00\x00\x00\x00\x00a.",
    "global not a string": asm(P4, b"K\x01K\x02\x93."),
    "codecs with another encoding": asm(
        P4, text("_codecs"), text("encode"), b"\x93", text("x"), text("rot13"), b"\x86R."
    ),
    "tuple of anything": asm(P4, text("builtins"), text("tuple"), b"\x93", b"]\x85R."),
    "getattr": asm(P4, text("builtins"), text("getattr"), b"\x93."),
    "reconstruct of another class": asm(
        P4,
        text("numpy.core.multiarray"),
        text("_reconstruct"),
        b"\x93",
        text("numpy"),
        text("dtype"),
        b"\x93",
        b"K\x00\x85",
        b"C\x01b",
        b"\x87R.",
    ),
}


@pytest.mark.parametrize("trick", sorted(TRICKS))
@pytest.mark.parametrize("audit", [audit_info, audit_state])
def test_tricks_are_refused(audit, trick: str) -> None:
    with pytest.raises(UnsafeArtifactError):
        audit(TRICKS[trick])


BROKEN = {
    "empty": b"",
    "no stop": b"\x80\x02}q\x00",
    "stop alone": b"\x80\x02.",
    "bytes behind the end": pickle.dumps(INFO, 2) + b"\x00",
    "two pickles": pickle.dumps(INFO, 2) + pickle.dumps(INFO, 2),
    "a length beyond the file": b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",
    "a frame beyond the file": b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.",
    "a negative length": b"\x80\x02T\xff\xff\xff\xff.",
    "a huge integer": b"\x80\x02\x8a\xff" + b"\x01" * 255 + b".",
    "no opcode": b"\x80\x02\xfe.",
    "protocol 9": b"\x80\x09}.",
    "a second protocol": b"\x80\x02\x80\x02}.",
    "mark left open": b"\x80\x02(}.",
    "mark never opened": b"\x80\x02}u.",
    "an odd dict": b"\x80\x02}(K\x01u.",
    "two values": b"\x80\x02}}.",
    "memo that is not there": b"\x80\x02h\x07.",
    "a text that is no UTF-8": b"\x80\x04\x8c\x01\xff.",
    "a list as a key": b"\x80\x02}]N" + b"s.",
    "append to a dict": b"\x80\x02}Na.",
}


@pytest.mark.parametrize("defect", sorted(BROKEN))
@pytest.mark.parametrize("audit", [audit_info, audit_state])
def test_damage_is_named(audit, defect: str) -> None:
    with pytest.raises(DamagedArtifactError) as caught:
        audit(BROKEN[defect], "m.pdiparams.info")
    assert "m.pdiparams.info" in str(caught.value)


@pytest.mark.parametrize("value", [[], {"w": 1}, {"w": {"a": 1}}, {1: {}}, {"w": {1: True}}, None])
def test_info_holds_only_what_paddle_writes(value: object) -> None:
    with pytest.raises(DamagedArtifactError, match="what Paddle writes"):
        audit_info(pickle.dumps(value, 2))


def test_many_nested_values_are_no_trouble() -> None:
    deep = b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b"."
    assert audit_state(deep).data is deep
    marks = b"\x80\x02" + b"(" * 100_000 + b"t" * 100_000 + b"."
    assert audit_state(marks)


# Opcodes that Paddle's writers never emit; what they do is nobody's to find out here.
NEVER = [
    "INT",
    "LONG",
    "LONG4",
    "STRING",
    "UNICODE",
    "FLOAT",
    "BYTEARRAY8",
    "NEXT_BUFFER",
    "READONLY_BUFFER",
    "LIST",
    "DICT",
    "EMPTY_SET",
    "ADDITEMS",
    "FROZENSET",
    "POP",
    "DUP",
    "POP_MARK",
    "GET",
    "PUT",
    "EXT1",
    "EXT2",
    "EXT4",
    "INST",
    "OBJ",
    "NEWOBJ_EX",
    "PERSID",
    "BINPERSID",
]


@pytest.mark.parametrize("name", NEVER)
def test_opcodes_that_paddle_never_writes_are_refused_by_name(name: str) -> None:
    (code,) = (op.code.encode("latin-1") for op in pickletools.opcodes if op.name == name)
    with pytest.raises(UnsafeArtifactError, match=rf"opcode {name},"):
        audit_state(b"\x80\x04" + code + bytes(16))


def test_every_other_opcode_is_known() -> None:
    known = {op.code for op in pickletools.opcodes if op.name not in NEVER} - {"."}
    assert {chr(code) for code in OPERATIONS} == known


@pytest.mark.parametrize(
    "path", sorted(DATA.glob("state/*/*")), ids=lambda p: "/".join(p.parts[-2:])
)
def test_what_real_releases_write_is_accepted(path: Path) -> None:
    audit = audit_state(path.read_bytes(), str(path))
    assert audit.globals
    assert isinstance(audit.value, (dict, list, tuple)) or audit.value is not None


def test_there_are_real_state_files_of_every_kind() -> None:
    found = {path.name for path in DATA.glob("state/*/*")}
    assert len(list(DATA.glob("state/*/*"))) >= 12, found
