"""What Paddle notes of a program while it makes one: parameters, and what became of values.

It is noted by the address of the program, and taken out where one is ready. A conversion that
fails leaves its notes behind: another program at that address is given parameters of one that is
gone, and the process ends in SIGSEGV (3.3.1: ``paddle.jit.save`` fails, and saves another layer).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def became(of_variables: bool) -> Any:
    """What became of each value of the programs that are being made: of legacy ones, or of PIR."""
    return _of_variables()._inplace_map if of_variables else _of_values()._global_inplace_map


@contextmanager
def nothing_noted() -> Iterator[None]:
    """Nothing is noted of other programs within the scope, or of any after it. A program that
    another thread is making at the time loses its notes."""
    _forget()
    try:
        yield
    finally:
        _forget()


def notes() -> tuple[dict[Any, Any], ...]:
    """By the addresses of programs, of legacy ones and of PIR ones: all that is noted now."""
    parameters = (_of_variables()._params_recorder, _of_values()._global_parameter_recorder)
    noting = (*parameters, *map(became, (True, False)))
    return tuple(noted for one in noting for noted in vars(one).values())


def _forget() -> None:
    for noted in notes():
        noted.clear()


def _of_variables() -> Any:
    import paddle

    return paddle.jit.api.ProgramTranslator.get_instance()


def _of_values() -> Any:
    try:
        from paddle.jit.dy2static import parameter_recorder
    except ImportError:  # up to 3.2
        from paddle.jit.pir_dy2static import parameter_recorder
    return parameter_recorder
