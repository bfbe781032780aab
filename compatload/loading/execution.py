"""Carry out a plan: step after step until one succeeds."""

from __future__ import annotations

import importlib
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import TypeVar

from compatload import errors, metrics
from compatload.artifact.model import Artifact, Format
from compatload.loading.own_loaders import own_loaders
from compatload.loading.progress import progress
from compatload.loading.report import LoadReport, attach, logger
from compatload.plan import Plan, Refusal, Step

Loaded = TypeVar("Loaded")
# Carries out one step: what Paddle returned, and the rules by which operators were rewritten.
Attempt = Callable[[Step], "tuple[Loaded, tuple[str, ...]]"]
_TAKEN_BY_PADDLE = [
    number
    for name in ("SIGSEGV", "SIGILL", "SIGFPE", "SIGABRT", "SIGBUS", "SIGTERM")
    if (number := getattr(signal, name, None)) is not None
]


def import_paddle() -> ModuleType:
    """Paddle itself. Only to be called once a plan found that this machine can import it.

    Handlers of signals that Python code had set stay, if this is the main thread.
    """
    try:
        if "paddle" in sys.modules:
            return importlib.import_module("paddle")
        _import_zlib()
        with _handlers_kept():
            return importlib.import_module("paddle")
    except Exception as error:  # what it imports raises anything
        raise errors.PaddleNotFoundError(
            f"paddle is installed but cannot be imported: {first_line(error)}",
            action=_remedy(error),
        ) from error


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Paddle's import puts a handler that ends the process in place of a server's own for SIGTERM,
    and Python does not see it (2.6.2, 3.3.1). Only the main thread can set one again."""
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number in _TAKEN_BY_PADDLE:
                handler = signal.getsignal(number)
                if handler not in (signal.SIG_DFL, None):
                    signal.signal(number, handler)


def _remedy(error: Exception) -> str:
    library = re.search(r"(\S+\.so[.\d]*): cannot open shared object", str(error))
    if library:
        package = ", which is in the package libgomp1" if "libgomp" in library[1] else ""
        return f"Install the system's library {library[1]}{package}."
    if "numpy" in str(error) and not isinstance(error, ModuleNotFoundError):
        return "Run `pip install --force-reinstall numpy`."
    if isinstance(error, ImportError) and error.name and not error.name.startswith("paddle"):
        # The wheels do not name all that they import: setuptools, for one (2.6.2 to 3.3.1).
        return f"Run `pip install {error.name}`."
    return "Run `pip install --force-reinstall paddlepaddle`."


def _import_zlib() -> None:
    """libpaddle of 2.6 has a zlib of its own, in which the system's crashes if it comes later."""
    with suppress(ImportError):  # a Python built without it
        importlib.import_module("zlib")


def carry_out(
    plan: Plan,
    artifact: Artifact,
    attempt: Attempt[Loaded],
    started: float,
    *,
    rejected: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    recalled: bool = False,
) -> Loaded:
    """What the first step that works returns, with a LoadReport attached.

    ``rejected`` are attempts of a preflight, made before those of the plan, and ``notes`` what else
    it found. ``recalled`` goes into the report.

    Raises the plan's refusal; an ArtifactError as it is, since no other step can mend a file; and
    LoadError with every attempt if all steps fail.
    """
    try:
        with progress(f"loading {plan.artifact}"):
            loaded, report = _first_that_works(plan, artifact, attempt, started, rejected)
    except Exception as error:
        metrics.count_failure(plan.api.value, error)
        raise
    notes = (*plan.remarks, *report.notes, *notes)
    report = replace(report, notes=notes, recalled=recalled)
    attach(loaded, report)
    for note in plan.notes:
        _warn_once(note)
    metrics.count_load(report)
    if report.attempts:
        step, cause = report.attempts[-1]
        warnings.warn(
            f"{plan.artifact} was loaded by {report.step.title}, since {step} failed: {cause}",
            errors.FallbackWarning,
            stacklevel=3,
        )
    return loaded


@cache
def _warn_once(note: str) -> None:
    warnings.warn(note, errors.CompatLoadWarning, stacklevel=4)


def _first_that_works(
    plan: Plan,
    artifact: Artifact,
    attempt: Attempt[Loaded],
    started: float,
    rejected: Sequence[tuple[str, str]],
) -> tuple[Loaded, LoadReport]:
    if plan.refusal:
        raise refusal_error(plan, plan.refusal)
    failures = list(rejected)
    cause: Exception | None = None
    for step in plan.steps:
        try:
            with own_loaders():
                loaded, repairs = attempt(step)
        except errors.ArtifactError:
            raise
        except Exception as error:  # Paddle raises anything, and all of it counts
            logger.warning("%s: %s failed: %s", plan.artifact, step.title, error)
            failures.append((step.title, first_line(error)))
            cause = error
            continue
        seconds = time.perf_counter() - started
        notes = (*artifact.notes, *step.overrides)
        report = LoadReport(plan, step, tuple(failures), seconds, repairs, notes)
        return loaded, report
    if isinstance(cause, errors.CompatLoadError):
        # A PIR program that cannot be written for 2.6 cannot be, however it is loaded afterwards.
        unwritten = artifact.format is Format.PIR and isinstance(cause, errors.ConversionError)
        if len(failures) == 1 or (unwritten and len({told for _, told in failures}) == 1):
            raise cause
    raise errors.LoadError(
        f"{plan.artifact} ({plan.format}, saved by paddle {plan.saved_by or 'unknown'}) "
        f"does not load in {plan.runtime}:",
        attempts=failures,
        action="Run `compatload plan` on it and report the output with this message.",
        artifact=plan.artifact,
        runtime=plan.runtime,
    ) from cause


def refusal_error(plan: Plan, refusal: Refusal) -> errors.CompatLoadError:
    """The exception that a refusal stands for."""
    kind: type[errors.CompatLoadError] = getattr(errors, refusal.error)
    return kind(
        refusal.problem,
        action=refusal.action,
        artifact=plan.artifact,
        runtime=plan.runtime,
        rule=refusal.rule,
    )


def first_line(error: BaseException) -> str:
    """The line of an error that says most: Paddle puts a C++ stack before its message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    marked = [line for line in lines if line.startswith("(") and ")" in line]
    text = marked[0] if marked else lines[0] if lines else ""
    return f"{type(error).__name__}: {text}"[:500]
