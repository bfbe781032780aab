"""What a thread of the pool runs: arrays or tensors in, arrays or tensors out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Protocol

from compatload.artifact.model import Program
from compatload.loading.primitives import PRIMITIVES
from compatload.serving.values import LodValue


class Runner(Protocol):
    """A model for one thread. Inputs are contiguous tensors in the memory of its device, or a
    ``LodValue`` of one; so are outputs that have lengths."""

    input_names: tuple[str, ...]

    def run(self, inputs: Mapping[str, Any]) -> list[Any]: ...


class PredictorRunner:
    """A predictor. Inputs are lent to it as they are; outputs are copied once.

    The copy is forced: the next run writes into the same memory. ``Predictor.run(tensors)`` would
    return tensors that share it, too (3.3.1), and ends in SIGSEGV on 2.6.2.

    Args:
        lend: whether the program leaves its inputs alone; otherwise it gets copies.
        onednn: whether it may use oneDNN's primitives, which must stay while it runs.
    """

    def __init__(self, predictor: Any, *, lend: bool, onednn: bool) -> None:
        self._predictor = predictor
        self._lend = lend
        self._scope: Any = PRIMITIVES.used if onednn else nullcontext
        self.input_names: tuple[str, ...] = tuple(predictor.get_input_names())
        self._output_names: tuple[str, ...] = tuple(predictor.get_output_names())
        self._with_lengths: set[str] = set()  # inputs that keep those of the last run

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
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
        with self._scope():
            predictor.run()
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
