"""What ``safe_load(inference_only=True)`` returns: the jit layer's calls, for inference alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Callable, NoReturn

from compatload.artifact.model import TensorSpec
from compatload.errors import UsageError
from compatload.serving.pool import RunnerPool
from compatload.serving.runners import Runner
from compatload.serving.shapes import Shapes, require_shapes
from compatload.serving.values import Values


class InferenceLayer:
    """A model that can only infer, for many threads at once.

    Called like the layer of ``paddle.jit.load``: Tensors or arrays in their order, or by name; one
    Tensor comes back where the model has one output, else a list of them (arrays where there is no
    Paddle). Outputs take no gradients. A call waits while all predictors are busy.

    Args:
        inputs: name, dtype and shape of each input, in the order of positional arguments.
        values: what comes in and goes out.
        shapes: of inputs by name, where calls may have no others.
    """

    training = False

    def __init__(
        self,
        pool: RunnerPool[Runner],
        inputs: tuple[TensorSpec, ...],
        output_names: tuple[str, ...],
        *,
        path: str,
        values: Values,
        acquire_timeout: float | None,
        shapes: Shapes,
    ) -> None:
        self.input_names = tuple(spec.name for spec in inputs)
        self.output_names = output_names
        self._pool = pool
        self._dtypes = {spec.name: spec.dtype for spec in inputs}
        self._path = path
        self._values = values
        self._acquire_timeout = acquire_timeout
        self._shapes = shapes

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run the model.

        Raises:
            UsageError: an input is missing, unknown, of another dtype or, where the layer was
                loaded for ``shapes``, of another shape; or static mode is on, in which there are
                no Tensors with values.
            PoolBusyError: no predictor became free within ``acquire_timeout`` seconds.
            PoolClosedError: the layer is closed, or was loaded before this process was forked.
            Whatever Paddle raises where the model itself fails.
        """
        values, dtypes, path = self._values, self._dtypes, self._path
        values.require_ready(path)
        bound = self._bound(inputs, named)
        feeds = {name: values.given(value, dtypes[name], name, path) for name, value in bound}
        if self._shapes:
            require_shapes(feeds, self._shapes)
        outputs = self._pool.run(lambda runner: runner.run(feeds), self._acquire_timeout)
        found = [values.output(value) for value in outputs]
        return found[0] if len(found) == 1 else found

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

    def _bound(self, inputs: tuple[Any, ...], named: Mapping[str, Any]) -> list[tuple[str, Any]]:
        names = self.input_names
        if len(inputs) == len(names) and not named:
            return [*zip(names, inputs)]
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
