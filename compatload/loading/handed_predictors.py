"""Paddle's predictors in the hands of callers: what they are made of lives as long as they do.

Two things go wrong with predictors of legacy programs in 3.x, of Paddle's own as well. Clones work
with memory of the predictor that they were cloned from, and fail when that is gone ("Tensor holds
no memory"; all of 13 models of 2.6.2 on 3.0.0, 3.2.2 and 3.3.1). And ``run([x])`` gives the memory
of outputs as oneDNN has laid it out, so that their numbers stand in another order (a convolution
alone: off by its whole size); on 2.6 it ends the process. A clone of a converted PIR program reads
its files again, which are gone with the first predictor.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from compatload.loading.modes import dynamic_mode

# Of a predictor that was handed out: whether outputs are read by their handles.
_handed: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
# Of a clone: what it was cloned from.
_cloned_from: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def handed_out(predictor: Any, *, by_handles: bool) -> None:
    """Keep what clones of it need as long as one of them lives; ``by_handles``: ``run([x])`` gives
    what the handles of the outputs do.

    ``clone`` and ``run`` of Paddle's class are others from then on, in the whole process. To
    predictors that were not handed out here they do what they did.
    """
    with _lock:
        if not hasattr(type(predictor).clone, "__wrapped__"):
            type(predictor).clone = _cloning(type(predictor).clone)
            type(predictor).run = _running(type(predictor).run)
    _handed[predictor] = by_handles


def _cloning(plain: Any) -> Any:
    @functools.wraps(plain)
    def clone(predictor: Any, *given: Any) -> Any:
        one = plain(predictor, *given)
        by_handles = _handed.get(predictor)
        if by_handles is not None:
            _handed[one] = by_handles
            _cloned_from[one] = predictor
        return one

    return clone


def _running(plain: Any) -> Any:
    @functools.wraps(plain)
    def run(predictor: Any, *given: Any) -> Any:
        if not given or not _handed.get(predictor):
            return plain(predictor, *given)
        return _run_by_handles(plain, predictor, *given)

    return run


def _run_by_handles(plain: Any, predictor: Any, tensors: Sequence[Any]) -> list[Any]:
    import paddle

    names = predictor.get_input_names()
    if len(tensors) != len(names):
        raise ValueError(
            f"{len(tensors)} inputs are given, and the model has {len(names)}: {names}"
        )
    for name, tensor in zip(names, tensors):
        predictor.get_input_handle(name).share_external_data(tensor)
    plain(predictor)
    with dynamic_mode(paddle):
        return [_output(paddle, predictor, name) for name in predictor.get_output_names()]


def _output(paddle: Any, predictor: Any, name: str) -> Any:
    tensor = paddle.to_tensor(predictor.get_output_handle(name).copy_to_cpu(), place="cpu")
    tensor.name = name
    return tensor
