"""What ``safe_load(inference_only=True)`` returns: the jit layer's calls, for inference alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import TracebackType
from typing import Any, Callable, NoReturn

from compatload.artifact.model import TensorSpec
from compatload.errors import UsageError
from compatload.serving.pool import RunnerPool
from compatload.serving.runners import Runner


class InferenceLayer:
    """A model that can only infer, for many threads at once.

    Called like the layer of ``paddle.jit.load``: Tensors or arrays in their order, or by name; one
    Tensor comes back where the model has one output, else a list of them. Outputs take no
    gradients. A call waits while all predictors are busy.

    Args:
        inputs: name, dtype and shape of each input, in the order of positional arguments.
        place: where the outputs go, as Paddle's own string.
    """

    training = False

    def __init__(
        self,
        pool: RunnerPool[Runner],
        inputs: tuple[TensorSpec, ...],
        output_names: tuple[str, ...],
        *,
        path: str,
        place: str,
        acquire_timeout: float | None,
    ) -> None:
        self.input_names = tuple(spec.name for spec in inputs)
        self.output_names = output_names
        self._pool = pool
        self._dtypes = {spec.name: spec.dtype for spec in inputs}
        self._path = path
        self._place = place
        self._acquire_timeout = acquire_timeout

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run the model.

        Raises:
            UsageError: an input is missing, unknown, or of another dtype; or static mode is on, in
                which there are no Tensors with values.
            PoolBusyError: no predictor became free within ``acquire_timeout`` seconds.
            PoolClosedError: the layer is closed, or was loaded before this process was forked.
            Whatever Paddle raises where the model itself fails.
        """
        self._require_dynamic_mode()
        feeds = {name: self._tensor(name, value) for name, value in self._bound(inputs, named)}
        outputs = self._pool.run(lambda runner: runner.run(feeds), self._acquire_timeout)
        tensors = [self._output(value) for value in outputs]
        return tensors[0] if len(tensors) == 1 else tensors

    forward = __call__

    @property
    def pool_size(self) -> int:
        """How many calls run at once."""
        return self._pool.size

    @property
    def closed(self) -> bool:
        return self._pool.closed

    def eval(self) -> InferenceLayer:
        """Nothing to do: it is always in evaluation mode."""
        return self

    def close(self, timeout: float | None = None) -> bool:
        """Refuse new calls, let running and waiting ones finish, release the predictors.

        Returns whether all were released within ``timeout`` seconds (None: wait for ever).
        """
        return self._pool.close(timeout)

    def __enter__(self) -> InferenceLayer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(self.input_names)
        return f"<InferenceLayer {self._path} ({names}), {self.pool_size} predictors>"

    def _require_dynamic_mode(self) -> None:
        import paddle

        # Making a Tensor there ends in SIGSEGV (3.3.1).
        if not paddle.in_dynamic_mode():
            raise UsageError(
                f"{self._path} was called in static mode",
                action="Call paddle.disable_static() first.",
                artifact=self._path,
            )

    def _bound(self, inputs: tuple[Any, ...], named: Mapping[str, Any]) -> list[tuple[str, Any]]:
        names = self.input_names
        given = dict(zip(names, inputs))
        unknown = sorted(set(named) - set(names[len(inputs) :]))
        if len(inputs) > len(names) or unknown or len(given) + len(named) < len(names):
            extra = f" and {', '.join(unknown)}" if unknown else ""
            raise UsageError(
                f"{self._path} takes {len(names)} inputs ({', '.join(names)}); "
                f"{len(inputs)} came by position{extra}"
                f"{f', {len(named)} by name' if named else ''}",
                action="Pass each input once, in this order or by its name.",
                artifact=self._path,
            )
        return [(name, given[name] if name in given else named[name]) for name in names]

    def _tensor(self, name: str, value: Any) -> Any:
        """``value`` in contiguous memory of the device; the same object where it is there."""
        import numpy
        import paddle

        if isinstance(value, numpy.ndarray):
            value = _of_array(paddle, numpy.ascontiguousarray(value).reshape(value.shape))
        elif not isinstance(value, paddle.Tensor):
            raise UsageError(
                f"input {name} of {self._path} is a {type(value).__name__}",
                action="Pass a paddle.Tensor or a numpy.ndarray.",
                artifact=self._path,
            )
        wanted, given = self._dtypes[name], _dtype_name(value)
        if wanted is not None and given != wanted:
            # A predictor would take the bytes for what it expects.
            raise UsageError(
                f"input {name} of {self._path} is {wanted}, and {given} was given",
                action=f"Convert it: x.astype({wanted!r}).",
                artifact=self._path,
            )
        if not value.is_contiguous():  # strides of a view are lost on the way in
            value = value.contiguous()
        if self._place == "cpu":
            return value if value.place.is_cpu_place() else value.cpu()
        return paddle.to_tensor(value, place=self._place)

    def _output(self, value: Any) -> Any:
        import numpy
        import paddle

        if not isinstance(value, numpy.ndarray):
            return value
        tensor = _of_array(paddle, value)
        return tensor if self._place == "cpu" else paddle.to_tensor(tensor, place=self._place)


def _of_array(paddle: Any, array: Any) -> Any:
    """A tensor on the CPU that shares the array's memory, as the jit layer makes one.

    Not by ``Tensor``'s own constructor: from 3.2.0 on each of its calls loses 64 to 110 bytes for
    good (3.3.1; ``paddle.to_tensor`` too), and it takes three times as long.
    """
    tensor = _any_tensor().clone()
    tensor.get_tensor().set(array, paddle.CPUPlace(), True)  # True: without a copy
    return tensor


@cache
def _any_tensor() -> Any:
    """What others are cloned from; their dtypes, shapes and memories are set afterwards."""
    import numpy
    import paddle

    return paddle.base.core.eager.Tensor(
        value=numpy.zeros(1, "float32"),
        place=paddle.CPUPlace(),
        name="",
        persistable=False,
        zero_copy=False,
    )


def _dtype_name(tensor: Any) -> str:
    # "paddle.float32" on all releases, for both of Paddle's kinds of dtypes.
    return str(tensor.dtype).rpartition(".")[2]


# What only a layer with parameters of its own has.
_TRAINING_ONLY = (
    "add_parameter",
    "backward",
    "buffers",
    "clear_gradients",
    "named_buffers",
    "named_parameters",
    "named_sublayers",
    "parameters",
    "program",
    "set_dict",
    "set_state_dict",
    "state_dict",
    "sublayers",
    "to",
    "to_static_state_dict",
    "train",
)


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(self: InferenceLayer, *_: Any, **__: Any) -> NoReturn:
        raise UsageError(
            f"{name}() is not possible: {self._path} was loaded with inference_only=True",
            action="Load it with safe_load(path), without inference_only.",
            artifact=self._path,
        )

    refuse.__name__ = name
    refuse.__doc__ = "Raises UsageError: a layer for inference has no parameters of its own."
    return refuse


for _name in _TRAINING_ONLY:
    setattr(InferenceLayer, _name, _refusing(_name))
