"""Every error compatload raises.

    CompatLoadError
    ├── ArtifactError                     what is on disk cannot be used
    │   ├── ArtifactNotFoundError         also FileNotFoundError, ValueError
    │   ├── DamagedArtifactError          also ValueError: empty, truncated, flipped, foreign
    │   ├── WeightsMismatchError          also ValueError: weights of another program
    │   ├── UnsafeArtifactError           also ValueError: would run code, escape its folder …
    │   └── UnsupportedFormatError        also ValueError: recognised, but no loadable program
    ├── RuntimeUnsuitableError            this machine or installation cannot do it
    │   ├── PaddleNotFoundError           also ImportError
    │   ├── EngineNotFoundError           also ImportError: another engine than Paddle
    │   ├── CpuUnsupportedError           also RuntimeError: the wheel needs other instructions
    │   ├── NumpyUnsupportedError         also RuntimeError
    │   └── DeviceUnavailableError        also ValueError
    ├── IncompatibleError                 also RuntimeError: this file, on this Paddle, needs more
    │   ├── UnsupportedOperatorError      an operator or attribute that this Paddle lacks
    │   └── ConversionError               lists every obstacle; nothing was written
    ├── LoadError                         also RuntimeError: every step of the plan failed
    ├── ExportError                       also RuntimeError: a model cannot be saved as asked
    ├── PoolBusyError                     also TimeoutError: no predictor became free in time
    ├── PoolClosedError                   also RuntimeError: the layer is closed, or of a parent
    └── UsageError                        also ValueError: an argument makes no sense

    CompatLoadWarning                     also UserWarning: it works, and somebody should know
    ├── FallbackWarning                   a step of the plan failed, and a later one succeeded
    └── ModeSwitchWarning                 a load switches Paddle's IR mode, which all threads see

Each error carries ``artifact``, ``runtime``, ``rule`` and ``action``, survives pickling, and ends
its message with one thing to do.
"""

from __future__ import annotations

from collections.abc import Sequence


class CompatLoadError(Exception):
    """What went wrong, and the one thing to do about it.

    Args:
        problem: one sentence that says what is wrong, with both versions where two disagree.
        action: one sentence that says what to do.
        artifact: path of the model concerned.
        runtime: short description of the installation concerned (``"paddlepaddle 3.3.1, cpu"``).
        rule: id of the rule that decided (``"CL101"``).
    """

    def __init__(
        self,
        problem: str,
        *,
        action: str = "",
        artifact: str | None = None,
        runtime: str | None = None,
        rule: str | None = None,
    ) -> None:
        self.problem = problem
        self.action = action
        self.artifact = artifact
        self.runtime = runtime
        self.rule = rule
        super().__init__(problem)

    def __str__(self) -> str:
        head = f"[{self.rule}] {self.problem}" if self.rule else self.problem
        return "\n".join([head, *self._details(), *([self.action] if self.action else [])])

    def _details(self) -> list[str]:
        """Lines between the problem and the action."""
        return []

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle as (type, args); keyword-only fields would be lost between processes.
        return _rebuild, (type(self), self.args, dict(self.__dict__))


def _rebuild(
    kind: type[CompatLoadError], args: tuple[object, ...], state: dict[str, object]
) -> CompatLoadError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ArtifactError(CompatLoadError):
    """What is on disk cannot be used."""


class ArtifactNotFoundError(ArtifactError, FileNotFoundError, ValueError):
    """Nothing at that path is a saved Paddle model."""

    # OSError formats errno and file names by itself; the message of this family comes first.
    __str__ = CompatLoadError.__str__


class DamagedArtifactError(ArtifactError, ValueError):
    """A file is empty, truncated, altered, or not what its name says."""


class WeightsMismatchError(ArtifactError, ValueError):
    """The weights belong to another program."""


class UnsafeArtifactError(ArtifactError, ValueError):
    """Loading the file would run code that it brings along, or leave its folder."""


class UnsupportedFormatError(ArtifactError, ValueError):
    """The file is recognised, but it is no program that Paddle could load."""


class RuntimeUnsuitableError(CompatLoadError):
    """This machine or installation cannot do what is asked."""


class PaddleNotFoundError(RuntimeUnsuitableError, ImportError):
    """No Paddle is installed."""

    __str__ = CompatLoadError.__str__


class EngineNotFoundError(RuntimeUnsuitableError, ImportError):
    """The engine that was asked for is not installed."""

    __str__ = CompatLoadError.__str__


class CpuUnsupportedError(RuntimeUnsuitableError, RuntimeError):
    """The installed Paddle uses instructions that this CPU lacks."""


class NumpyUnsupportedError(RuntimeUnsuitableError, RuntimeError):
    """The installed Paddle crashes with the installed NumPy."""


class DeviceUnavailableError(RuntimeUnsuitableError, ValueError):
    """The device asked for is not there, or this build cannot use it."""


class IncompatibleError(CompatLoadError, RuntimeError):
    """This artifact and this Paddle do not go together without more work."""


class UnsupportedOperatorError(IncompatibleError):
    """The program uses operators or attributes that this Paddle lacks."""


class ConversionError(IncompatibleError):
    """The artifact cannot be converted as asked; ``obstacles`` lists every reason."""

    def __init__(
        self,
        problem: str,
        *,
        obstacles: Sequence[str] = (),
        action: str = "",
        artifact: str | None = None,
        runtime: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(problem, action=action, artifact=artifact, runtime=runtime, rule=rule)
        self.obstacles = tuple(obstacles)

    def _details(self) -> list[str]:
        return [f"  - {obstacle}" for obstacle in self.obstacles]


class LoadError(CompatLoadError, RuntimeError):
    """Every step of the plan failed; ``attempts`` lists each with its cause."""

    def __init__(
        self,
        problem: str,
        *,
        attempts: Sequence[tuple[str, str]] = (),
        action: str = "",
        artifact: str | None = None,
        runtime: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(problem, action=action, artifact=artifact, runtime=runtime, rule=rule)
        self.attempts = tuple(attempts)

    def _details(self) -> list[str]:
        return [f"  {n}. {step}: {cause}" for n, (step, cause) in enumerate(self.attempts, 1)]


class ExportError(CompatLoadError, RuntimeError):
    """A model cannot be saved as asked."""


class PoolBusyError(CompatLoadError, TimeoutError):
    """All predictors were busy for as long as the caller wanted to wait."""

    # OSError formats errno and file names by itself; the message of this family comes first.
    __str__ = CompatLoadError.__str__


class PoolClosedError(CompatLoadError, RuntimeError):
    """The layer is closed, or belongs to the process that this one was forked from."""


class UsageError(CompatLoadError, ValueError):
    """An argument makes no sense."""


class CompatLoadWarning(UserWarning):
    """It works, and somebody should know how."""


class FallbackWarning(CompatLoadWarning):
    """A step of the plan failed, and a later one succeeded."""


class ModeSwitchWarning(CompatLoadWarning):
    """A load switches Paddle's IR mode, which every thread sees while it lasts."""
