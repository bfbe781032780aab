"""What a thread of the pool runs: arrays or tensors in, arrays or tensors out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Protocol

from compatload.artifact.model import Artifact, Program
from compatload.errors import UsageError
from compatload.faults.graph import SECOND, Graph, operand
from compatload.loading.primitives import PRIMITIVES
from compatload.serving.values import LodValue


class Runner(Protocol):
    """A model for one thread. Inputs are contiguous tensors in the memory of its device, or a
    ``LodValue`` of one; so are outputs that have lengths."""

    input_names: tuple[str, ...]

    def run(self, inputs: Mapping[str, Any]) -> list[Any]: ...


class _WithoutElementsError(UsageError):
    def __init__(self, name: str, killer: str) -> None:
        super().__init__(
            f"the input {name} has no elements, and {killer} would kill the process",
            action="Leave such calls out, or load the model again.",
        )


class _SpoiltListsError(UsageError):
    def __init__(self) -> None:
        super().__init__(
            "a call that failed has left parts in the lists of the program",
            action="Load the model again.",
        )


# What convolutions of nothing say, the second transposed ones (3.3.1).
_LAID_OUT = ("layout should be ONEDNN", "Got wrong layout = ")
# What an interpolation of float16 says (2.6.2, 3.3.1).
_UNTYPED = "is not supported by oneDNN"


class Spare(Protocol):
    """What computes a call that oneDNN refused, or would not survive, or raises ``refusal``."""

    def run(self, inputs: Mapping[str, Any], refusal: Exception) -> list[Any]: ...


def is_refusal(error: Exception) -> bool:
    """Whether it is oneDNN's: Paddle's own errors name their kind, their place and the operator."""
    return is_of_sizes(error) or _UNTYPED in str(error)


def is_of_sizes(error: Exception) -> bool:
    """Whether it is oneDNN's, and not of an element type."""
    text = str(error).strip()
    told = text == "std::exception" or text.startswith("could not ")
    return told or any(one in text for one in _LAID_OUT)


def has_no_elements(value: Any, *, but_rows: bool = False) -> bool:
    """Whether an axis has no size; ``but_rows``: any but the first."""
    shape = (value.value if isinstance(value, LodValue) else value).shape
    return 0 in (shape[1:] if but_rows else shape)


class PredictorRunner:
    """A predictor. Inputs are lent to it as they are; outputs are copied once.

    The copy is forced: the next run writes into the same memory. ``Predictor.run(tensors)`` would
    return tensors that share it, too (3.3.1), and ends in SIGSEGV on 2.6.2.

    Args:
        lend: whether the program leaves its inputs alone; otherwise it gets copies.
        spare: runs calls that oneDNN refuses; None where the predictor does not use oneDNN, whose
            primitives must stay while it runs.
        dies: whether oneDNN does not survive inputs without elements, which ``spare`` gets then.
        lists: whether the program fills lists. Paddle empties them where a run ends, and not where
            it fails: the next one would find what is left (3.0.0, 3.3.1), and goes to ``spare``.
        recurrent: whether the program has a layer that dies of a sequence without steps, with
            oneDNN and without it: such calls are refused.
    """

    def __init__(
        self,
        predictor: Any,
        *,
        lend: bool,
        spare: Spare | None = None,
        dies: bool = False,
        lists: bool = False,
        recurrent: bool = False,
    ) -> None:
        self._predictor = predictor
        self._lend = lend
        self._spare = spare
        self._dies = dies
        self._lists = lists
        self._recurrent = recurrent
        self._spoilt = False  # by a run that failed
        self._scope: Any = PRIMITIVES.used if spare is not None else nullcontext
        self.input_names: tuple[str, ...] = tuple(predictor.get_input_names())
        self._output_names: tuple[str, ...] = tuple(predictor.get_output_names())
        self._with_lengths: set[str] = set()  # inputs that keep those of the last run

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        if self._recurrent:
            for name in self.input_names:
                if has_no_elements(inputs[name], but_rows=True):
                    raise _WithoutElementsError(name, "Paddle")
        if self._spare is not None and self._dies:
            for name in self.input_names:
                if has_no_elements(inputs[name]):
                    return self._spare.run(inputs, _WithoutElementsError(name, "oneDNN"))
        if self._spare is not None and self._spoilt:
            return self._spare.run(inputs, _SpoiltListsError())
        predictor = self._predictor
        for name in self.input_names:
            handle = predictor.get_input_handle(name)
            value = inputs[name]
            lod = value.lod if isinstance(value, LodValue) else ()
            tensor = value.value if lod else value
            if self._lend:
                handle.share_external_data(tensor)
            else:
                handle.copy_from_cpu(tensor.numpy())
            if lod or name in self._with_lengths:
                handle.set_lod(lod)  # after the tensor, which has none of its own
                self._with_lengths.add(name)
        try:
            with self._scope():
                predictor.run()
        except (RuntimeError, ValueError) as error:
            self._spoilt = self._lists
            if self._spare is None or not is_refusal(error):
                raise
            return self._spare.run(inputs, error)
        return [_result(predictor.get_output_handle(name)) for name in self._output_names]


def _result(handle: Any) -> Any:
    lod = handle.lod()
    return LodValue(handle.copy_to_cpu(), lod) if lod else handle.copy_to_cpu()


class LayerRunner:
    """Paddle's own layer, where no predictor computes what it should."""

    def __init__(self, layer: Any, input_names: tuple[str, ...], *, lend: bool) -> None:
        self._layer = layer
        self._lend = lend
        self.input_names = input_names

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        import paddle

        with paddle.no_grad():
            given = [_with_its_lengths(inputs[name]) for name in self.input_names]
            outputs = self._layer(*(given if self._lend else [each.clone() for each in given]))
        return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _with_its_lengths(value: Any) -> Any:
    if not isinstance(value, LodValue):
        return value
    value.value.get_tensor().set_lod(value.lod)
    return value.value


def leaves_inputs_alone(program: Program) -> bool:
    """Whether inputs may be lent to ``program``: loops of legacy programs write into theirs.

    Measured on 2.6.2, 3.0.0 and 3.3.1, with predictors and with Paddle's own layer alike.
    """
    inputs = {spec.name for spec in program.inputs}
    return not program.has_control_flow and not any(
        name in inputs
        for operator in program.operators
        if operator.name not in _NAMING_INPUTS
        for names in operator.outputs.values()
        for name in names
    )


_NAMING_INPUTS = frozenset({"feed", "pd_op.data", "pd_op.feed"})


def dies_of_nothing(program: Program) -> bool:
    """Whether it has an operator of oneDNN's that was seen to kill the process where a run finds
    no elements (SIGFPE, SIGSEGV, SIGABRT), in one release or another."""
    return _has(program, _DYING_OF_NOTHING)


def dying_plainly(program: Program) -> list[str]:
    """The releases whose own kernels, without oneDNN, kill the process where an input of the
    program has no elements, as specifiers: convolutions of no height (SIGSEGV in im2col, 2.6.2,
    3.0.0), what is joined of nothing (3.0.0). From 3.1 on there is a result."""
    return [releases for releases, names in _DYING_PLAINLY.items() if _has(program, names)]


def multiplies(artifact: Artifact) -> bool:
    """Whether computed values are multiplied by each other: without oneDNN 2.6 kills the process
    where a run finds none of them (SIGSEGV in sgemm, 2.6.2)."""
    graph = Graph(artifact)
    return any(not graph.is_stored(operand(one, SECOND)) for one in graph.named(_PRODUCTS))


def is_recurrent(program: Program) -> bool:
    """Whether it has a layer that kills the process where a sequence has no steps (SIGSEGV, with
    oneDNN and without, 2.6.2 to 3.3.1). A batch of no sequences is right."""
    return _has(program, _RECURRENT)


def _has(program: Program, names: frozenset[str]) -> bool:
    """Whether one of these is among its operators, in either format."""
    return any(name.rpartition(".")[2] in names for name in program.operator_counts)


_PRODUCTS = frozenset({"bmm", "matmul", "matmul_v2"})
_RECURRENT = frozenset({"cudnn_lstm", "rnn"})
_CONVOLUTIONS = frozenset(
    f"{kind}{name}" for kind in ("", "depthwise_") for name in ("conv2d", "conv2d_transpose")
) | {"conv3d", "conv3d_transpose", "deformable_conv"}
_DYING_PLAINLY = {"<3.1": _CONVOLUTIONS, ">=3.0,<3.1": frozenset({"concat"})}


_DYING_OF_NOTHING = frozenset(
    {"concat", "depthwise_conv2d_transpose", "pool2d", "slice", "split", "split_with_num"}
)
