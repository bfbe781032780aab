"""What stands in Paddle's place to run a model: each module of ``engines.known`` is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from compatload.errors import EngineNotFoundError
from compatload.faults.graph import Graph
from compatload.frozen import frozen

#: float32 has every whole number up to here, and int32 up to there.
EXACT_IN_FLOAT32, LARGEST_INT32 = 1 << 24, (1 << 31) - 1
INSTEAD = 'Load it with engine="paddle".'


@frozen
class EngineProgram:
    """The program that an engine is handed in place of the model's own: legacy, and of operators
    that the engine has.

    ``inputs`` and ``outputs`` are names in ``data``, in the order of the model's own; ``numbers``
    those outputs that are declared without any axis. ``changes`` is what was rewritten, with the
    number of such operators."""

    data: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


class EngineRequest(Protocol):
    """One program for one thread at a time: arrays in by name, arrays out in the model's order."""

    input_names: tuple[str, ...]

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Raises RuntimeError where the engine fails."""


LaidOut = Callable[[], "AbstractContextManager[str]"]


class Compile(Protocol):
    """How an engine makes requests of a program."""

    def __call__(
        self,
        laid_out: LaidOut,
        program: EngineProgram,
        *,
        threads: int,
        count: int,
        shapes: Mapping[str, Sequence[int]],
    ) -> Sequence[EngineRequest]:
        """``count`` requests of one compiled program, which share its weights.

        Args:
            laid_out: gives the path of what ``convert`` wrote, else of the program, its combined
                weights beside it, for as long as its scope lasts; as often as it is asked.
            threads: of each request.
            shapes: of inputs by their names in the program, where every call has the same.

        Raises:
            EngineNotFoundError: it cannot be imported.
            IncompatibleError: it does not take the program; it says why.
        """


@frozen
class Engine:
    """One engine, and what is asked of it.

    Args:
        name: what ``engine=`` calls it.
        title: what its makers call it.
        installed: the release that is installed, found without importing it, or None.
        require_installed: that release; raises EngineNotFoundError.
        objections: each operator of a program that a release is known not to have, or to compute
            wrongly, with its place and the reason.
        requests: a program compiled.
        said: what an exception of it says, on one line.
        own: operators that it runs as they are, though they are rewritten for others.
        whole: up to which whole numbers it computes exactly, as far as nothing was compared; None:
            all of them.
        convert: writes what ``requests`` reads, from the path of a program with its combined
            weights beside it to a second path; raises IncompatibleError. None: it reads that one.
    """

    name: str
    title: str
    installed: Callable[[], str | None]
    require_installed: Callable[[], str]
    objections: Callable[[Graph, str], tuple[str, ...]]
    requests: Compile
    said: Callable[[BaseException], str]
    own: Collection[str] = ()
    whole: int | None = None
    convert: Callable[[str, str], None] | None = None


def imported(name: str, title: str) -> ModuleType:
    """The engine's own package. Raises EngineNotFoundError."""
    try:
        return import_module(name)
    except ImportError as error:
        raise EngineNotFoundError(
            f"{title} cannot be imported: {error}",
            action=f'Run `pip install --force-reinstall "compatload[{name}]"`.',
        ) from error
