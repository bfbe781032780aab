"""What callers of an inference layer pass and get: Paddle's Tensors, or arrays without Paddle."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Protocol

from compatload.errors import UsageError
from compatload.faults.cl150_sequences import SequenceInput
from compatload.frozen import frozen
from compatload.loading.sequences import Lod, fit, require_lengths
from compatload.trials.lengths import is_core_tensor


@frozen
class LodValue:
    """A tensor, or an array, of sequences one after another, and where each begins and ends."""

    value: Any
    lod: Lod

    @property
    def shape(self) -> Any:
        """Of all sequences together."""
        return self.value.shape


class Values(Protocol):
    """How values come in and go out."""

    def require_ready(self, path: str) -> None:
        """Raises UsageError where a call cannot be made now."""

    def given(self, value: Any, dtype: str | None, name: str, path: str) -> Any:
        """``value`` as a runner takes it. Raises UsageError for another dtype, or type."""

    def output(self, value: Any) -> Any:
        """What a runner gave, as the caller gets it."""


class PaddleTensors:
    """For Paddle's own predictors: Tensors in the memory of their device.

    Args:
        place: where they go, as Paddle's own string.
        sequences: the inputs that may have lengths (LoD).
    """

    def __init__(self, place: str, sequences: Mapping[str, SequenceInput] | None = None) -> None:
        self._place = place
        self._sequences = sequences or {}

    def require_ready(self, path: str) -> None:
        import paddle

        # Making a Tensor there ends in SIGSEGV (3.3.1).
        if not paddle.in_dynamic_mode():
            raise UsageError(
                f"{path} was called in static mode",
                action="Call paddle.disable_static() first.",
                artifact=path,
            )

    def given(self, value: Any, dtype: str | None, name: str, path: str) -> Any:
        """``value`` in contiguous memory of the device; the same object where it is there, with
        its lengths where it has some."""
        import numpy
        import paddle

        lod: Lod = ()
        may_have_lengths = name in self._sequences
        if isinstance(value, paddle.Tensor):
            lod = value.get_tensor().lod() if may_have_lengths else ()
        elif is_core_tensor(value):
            lod, value = value.lod(), numpy.array(value)
        if lod or may_have_lengths:
            rows = (*getattr(value, "shape", ()), 0)[0]
            require_lengths(lod, rows, self._sequences.get(name), name, path)
        tensor = self._tensor(value, dtype, name, path)
        return LodValue(tensor, lod) if lod else tensor

    def _tensor(self, value: Any, dtype: str | None, name: str, path: str) -> Any:
        import numpy
        import paddle

        if isinstance(value, numpy.ndarray):
            _require_dtype(_told(value.dtype, dtype), dtype, name, path)
            value = _of_array(numpy.ascontiguousarray(value).reshape(value.shape))
        elif not isinstance(value, paddle.Tensor):
            raise _unknown(value, name, path, "a paddle.Tensor or a numpy.ndarray")
        _require_dtype(_name_of(value.dtype), dtype, name, path)
        if not value.is_contiguous():  # strides of a view are lost on the way in
            value = value.contiguous()
        if self._place == "cpu":
            return value.cpu() if _has_devices() and not value.place.is_cpu_place() else value
        return paddle.to_tensor(value, place=self._place)

    def output(self, value: Any) -> Any:
        import numpy
        import paddle

        lod: Lod = ()
        if isinstance(value, LodValue):
            lod, value = value.lod, value.value
        if not isinstance(value, numpy.ndarray):
            return value
        tensor = _of_array(value)
        if self._place != "cpu":
            tensor = paddle.to_tensor(tensor, place=self._place)
        # Operators hand lengths of boxes on to numbers of boxes, and handles give them out.
        if lod and value.shape and fit(lod, value.shape[0]):
            tensor.get_tensor().set_lod(lod)
        return tensor


# What every release's DLPack and NumPy's agree about.
_LENT = frozenset({"float32", "float64", "int32", "int64"})


class SharedTensors(PaddleTensors):
    """For another engine, in a process with Paddle: Tensors, whose memory runners see as arrays."""

    def __init__(self) -> None:
        super().__init__("cpu")

    def given(self, value: Any, dtype: str | None, name: str, path: str) -> Any:
        import numpy

        if isinstance(value, numpy.ndarray):
            return ARRAYS.given(value, dtype, name, path)
        tensor = self._tensor(value, dtype, name, path)
        if (dtype or _name_of(tensor.dtype)) not in _LENT:
            return tensor.numpy()
        lent = numpy.from_dlpack(_Lent(tensor))
        # OpenVINO writes to what it is lent without axes (2026.4).
        return lent if lent.ndim else lent.copy()


class Arrays:
    """For another engine where there is no Paddle."""

    def require_ready(self, path: str) -> None:
        """Always."""

    def given(self, value: Any, dtype: str | None, name: str, path: str) -> Any:
        import numpy

        if not isinstance(value, numpy.ndarray):
            raise _unknown(value, name, path, "a numpy.ndarray")
        _require_dtype(_told(value.dtype, dtype), dtype, name, path)
        if type(value) is numpy.ndarray and value.flags.c_contiguous:
            return value
        return numpy.ascontiguousarray(value).reshape(value.shape)

    def output(self, value: Any) -> Any:
        return value


ARRAYS = Arrays()


class _Lent:
    """A Tensor's memory by DLPack, which not every release's Tensor speaks by itself."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __dlpack__(self, **_: Any) -> Any:
        return self._tensor.get_tensor()._to_dlpack()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the processor's memory


def _unknown(value: Any, name: str, path: str, wanted: str) -> UsageError:
    return UsageError(
        f"input {name} of {path} is a {type(value).__name__}",
        action=f"Pass {wanted}.",
        artifact=path,
    )


@lru_cache(maxsize=64)  # callers may pass whatever they like
def _told(given: Any, wanted: str | None) -> str:
    """The dtype of an array. Paddle takes numpy's uint16 for bfloat16, which numpy has not, and no
    numbers whose bytes stand in the other order."""
    if given.name == "uint16" and wanted == "bfloat16":
        return wanted
    return str(given.name) if given.isnative else f"{given.name} in another order of bytes"


def _require_dtype(given: str, wanted: str | None, name: str, path: str) -> None:
    if wanted is not None and given != wanted:
        # A predictor would take the bytes for what it expects.
        raise UsageError(
            f"input {name} of {path} is {wanted}, and {given} was given",
            action=f"Convert it: x.astype({wanted!r}).",
            artifact=path,
        )


def _of_array(array: Any) -> Any:
    """A tensor on the CPU that shares the array's memory, as the jit layer makes one.

    Not by ``Tensor``'s own constructor: from 3.2.0 on each of its calls loses 64 to 110 bytes for
    good (3.3.1; ``paddle.to_tensor`` too), and it takes three times as long.
    """
    tensor, (_, place) = _spare(), _any_tensor()
    tensor.get_tensor().set(array, place, True)  # True: without a copy
    return tensor


# Clones to be filled. Behind a model that has filled the caches one takes 20 µs, and each further
# one 2.
_SPARE: list[Any] = []
_SPARES = 16


def _spare() -> Any:
    while True:
        try:
            return _SPARE.pop()
        except IndexError:
            tensor, _ = _any_tensor()
            _SPARE.extend(tensor.clone() for _ in range(_SPARES))


@cache
def _any_tensor() -> tuple[Any, Any]:
    """What others are cloned from, whose dtypes, shapes and memories are set afterwards, and its
    place, which takes 15 µs to make."""
    import numpy
    import paddle

    place = paddle.CPUPlace()
    tensor = paddle.base.core.eager.Tensor(
        value=numpy.zeros(1, "float32"), place=place, name="", persistable=False, zero_copy=False
    )
    return tensor, place


@cache
def _has_devices() -> bool:
    """Whether a Tensor can be elsewhere than on the CPU."""
    import paddle

    built_for = (paddle.is_compiled_with_cuda(), paddle.is_compiled_with_xpu())
    return any(built_for) or bool(paddle.device.get_all_custom_device_type())


@cache
def _name_of(dtype: Any) -> str:
    # "paddle.float32" on all releases, for both of Paddle's kinds of dtypes.
    return str(dtype).rpartition(".")[2]
