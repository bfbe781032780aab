"""``ModelHandle``: a model that is exchanged while it serves."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from compatload import metrics
from compatload.errors import ArtifactError, UsageError
from compatload.frozen import frozen
from compatload.loading.execution import first_line
from compatload.loading.modes import without_switches
from compatload.loading.report import LoadReport, logger
from compatload.serving.file_state import ModelState, content_hash, model_state, resolved
from compatload.serving.generation import Generation
from compatload.serving.load import inference_layer
from compatload.serving.sample_run import OutputShape, require_successor, sample_outputs
from compatload.serving.watch import Watch

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from compatload.options import PoolOptions

# Loads again if the files change meanwhile; a writer that never stops is told as a failure.
_ATTEMPTS = 3


@frozen
class HandleStatus:
    """How a handle is doing.

    ``generation`` counts the models that have served, ``draining`` the calls still inside earlier
    ones. ``last_error`` says why the newest attempt to reload failed; None once one succeeded.
    """

    name: str
    path: str
    generation: int
    loaded_at: float
    in_flight: int
    draining: int
    reloads: int
    failures: int
    last_error: str | None
    report: LoadReport | None
    closed: bool


class ModelHandle:
    """A saved model, callable from many threads, reloaded while it answers.

        with ModelHandle("models/current", watch=1.0) as model:
            outputs = model(inputs)

    The new model is loaded and tried beside the old one and takes over between two calls; calls
    inside the old one finish there, and then it is let go. If the new one fails, the old one
    stays, the log says why, and ``status().last_error`` too.

    Args:
        path: prefix, any one file of the model, or its directory; links are followed anew by each
            load.
        load: makes the model from a path; by default ``safe_load(path, inference_only=True)``.
            ``safe_load`` and ``safe_create_predictor`` do as well.
        concurrent: whether several threads may be inside one model. True for the default
            ``load``; for another one threads take turns unless you say that they need not.
        sample: arguments of one call. Each new model must answer it with outputs of the same
            number, dtypes and dimensions as the model in service, and without NaN if that has none.
        verify: called with each new model, for tests of your own; what it raises refuses the model.
        watch: seconds between two looks at the files; None: only ``reload()`` reloads. A change is
            loaded once the files have stayed the same from one look to the next, and only if
            their content is another.
        name: for log and metrics; by default the last part of ``path``.
        options: more arguments for the default ``load``.

    The first load is made here and raises what it raises. No load of a handle switches Paddle's IR
    mode, which other threads would see while they trace: a model that needs the switch is refused.
    Make the handle in the process that serves, not before a fork.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        load: Callable[[str], Any] | None = None,
        concurrent: bool | None = None,
        sample: Sequence[Any] | None = None,
        verify: Callable[[Any], object] | None = None,
        watch: float | None = None,
        name: str | None = None,
        **options: Unpack[PoolOptions],
    ) -> None:
        if load is not None and options:
            raise UsageError(
                f"ModelHandle() was given load and {', '.join(sorted(options))}",
                action="Pass options to load yourself (functools.partial).",
            )
        if watch is not None and (not isinstance(watch, (int, float)) or not watch > 0):
            raise UsageError(
                f"watch is {watch!r}", action="Give seconds between looks at the files, or None."
            )
        self.path = os.path.abspath(os.fspath(path))
        self.name = name or os.path.basename(self.path)
        self._load_model = load or (lambda where: inference_layer(where, **options))
        self._concurrent = load is None if concurrent is None else concurrent
        self._sample = None if sample is None else tuple(sample)
        self._verify = verify
        self._outputs: tuple[OutputShape, ...] | None = None
        self._reloading = threading.Lock()
        self._retired: list[Generation] = []
        self._reloads = self._failures = 0
        self._last_error: str | None = None
        self._closed = False
        self._loaded_state, self._loaded_hash = ModelState(()), ""
        self._current = self._load(1)
        self._watch = None if watch is None else Watch(self, watch)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """One call of the model that serves now."""
        with self.use() as model:
            return model(*arguments, **keywords)

    @contextmanager
    def use(self) -> Iterator[Any]:
        """The model that serves now; it is not let go before the block ends."""
        while True:
            generation = self._current
            if generation.enter():
                break
            if self._closed:
                raise UsageError(f"the handle of {self.path} is closed", action="Make a new one.")
        with generation.entered() as model:
            yield model

    def reload(self, *, drain: float | None = None) -> bool:
        """Load the model again and let it take over; False if it failed and the old one stays.

        ``drain`` is how many seconds to wait until the last call has left the old model; None
        returns at once. Reloads of one handle take turns. Raises UsageError once it is closed.
        """
        with self._reloading:
            if self._closed:
                raise UsageError(f"the handle of {self.path} is closed", action="Make a new one.")
            before = self._current
            try:
                after = self._load(before.number + 1)
            except Exception as error:  # whatever it is, the service goes on
                self._keep(before, error)
                return False
            self._take_over(before, after)
        if drain is not None:
            before.drained(drain)
        return True

    def reload_if_changed(self) -> bool:
        """``reload()`` if the files hold another content than the last attempt found."""
        state = model_state(resolved(self.path))
        if state == self._loaded_state:
            return False
        if content_hash(state) == self._loaded_hash:
            self._loaded_state = state
            return False
        return self.reload()

    def current_state(self) -> ModelState:
        """The files as a reload would find them now."""
        return model_state(resolved(self.path))

    def status(self) -> HandleStatus:
        """How the handle is doing, for a health check or a log."""
        current = self._current
        return HandleStatus(
            name=self.name,
            path=self.path,
            generation=current.number,
            loaded_at=current.loaded_at,
            in_flight=current.users,
            draining=sum(each.users for each in tuple(self._retired)),
            reloads=self._reloads,
            failures=self._failures,
            last_error=self._last_error,
            report=current.report,
            closed=self._closed,
        )

    def close(self, timeout: float | None = None) -> bool:
        """Let nobody in any more, wait for the calls inside, and let the model go.

        False if calls were still inside after ``timeout`` seconds; the last of them lets it go.
        """
        if self._watch is not None:
            self._watch.stop()
        with self._reloading:
            self._closed = True
            self._current.retire()
        return all(each.drained(timeout) for each in (*self._retired, self._current))

    def __enter__(self) -> ModelHandle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _load(self, number: int) -> Generation:
        for attempt in range(_ATTEMPTS):
            where = resolved(self.path)
            state = model_state(where)
            self._loaded_state, self._loaded_hash = state, content_hash(state)
            try:
                with without_switches():
                    model = self._load_model(where)
            except ArtifactError:
                # Perhaps only half of it was there yet, and the rest has come since.
                if attempt + 1 < _ATTEMPTS and model_state(resolved(self.path)) != state:
                    continue
                raise
            break
        outputs = None if self._sample is None else sample_outputs(model, self._sample)
        if outputs is not None and self._outputs is not None:
            require_successor(outputs, self._outputs, self.path)
        if self._verify is not None:
            self._verify(model)
        self._outputs = outputs
        return Generation(number, model, concurrent=self._concurrent)

    def _take_over(self, before: Generation, after: Generation) -> None:
        self._current = after  # one assignment: a call gets the one or the other
        before.retire()
        self._retired = [each for each in (*self._retired, before) if each.users]
        self._reloads += 1
        self._last_error = None
        metrics.count_reload(self.name, "replaced")
        logger.info("%s: model %d took over from %d", self.path, after.number, before.number)

    def _keep(self, before: Generation, error: Exception) -> None:
        self._failures += 1
        self._last_error = first_line(error)
        metrics.count_reload(self.name, "kept")
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(before.loaded_at))
        logger.warning(
            "%s: reload failed, model %d of %s stays in service: %s",
            self.path,
            before.number,
            since,
            self._last_error,
        )
