"""Exchange Paddle's loaders for the safe ones, in every module that has a name for them."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from types import ModuleType
from typing import Any

from compatload.frozen import frozen
from compatload.loading import own_loaders

_Loader = Callable[..., Any]


@frozen
class _Alias:
    """One name of one module that was given another value."""

    module: ModuleType
    name: str
    own: _Loader
    safe: _Loader


_lock = threading.RLock()
_aliases: list[_Alias] = []
_active = False
_trusted_operators: frozenset[str] = frozenset()


def replace() -> None:
    """Every name for one of Paddle's loaders, in any module, leads to the safe one."""
    global _active
    with _lock:
        _active = True
        for module_name, name, safe in _TABLE:
            module = sys.modules.get(module_name)
            own = getattr(module, name, None)
            if own is None or own in [alias.safe for alias in _aliases]:
                continue
            _replace(own, _standing_in(own, safe))


def let_in(trusted_operators: Collection[str]) -> None:
    """Have the safe loaders let these operators in, too, until ``put_back``."""
    global _trusted_operators
    with _lock:
        _trusted_operators |= frozenset(trusted_operators)


def put_back() -> None:
    """The names of ``replace`` lead to Paddle's own loaders again."""
    global _active, _trusted_operators
    with _lock:
        _active, _trusted_operators = False, frozenset()
        for alias in _aliases:
            # Names that came later, by `from paddle.inference import create_predictor`, as well.
            for module, name in _names_of(alias.safe):
                setattr(module, name, alias.own)
        _aliases.clear()


def _replace(own: _Loader, safe: _Loader) -> None:
    for module, name in list(_names_of(own)):
        setattr(module, name, safe)
        _aliases.append(_Alias(module, name, own, safe))


def _names_of(value: _Loader) -> Iterator[tuple[ModuleType, str]]:
    """Every global of every module that is this very object, outside of this package."""
    for module_name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or module_name.partition(".")[0] == "compatload":
            continue
        for name, found in list(vars(module).items()):
            if found is value:
                yield module, name


def _standing_in(own: _Loader, safe: Callable[..., Any]) -> _Loader:
    @functools.wraps(own)
    def loader(*arguments: Any, **options: Any) -> Any:
        if not _active or own_loaders.wanted():
            return own(*arguments, **options)
        return safe(*arguments, **options)

    return loader


def _jit_load(path: Any, **configs: Any) -> Any:
    from compatload.drop_ins import safe_load

    return safe_load(path, **{"trusted_operators": _trusted_operators, **configs})


def _load_inference_model(path_prefix: Any, executor: Any, **kwargs: Any) -> Any:
    from compatload.drop_ins import safe_load_inference_model

    named = {"trusted_operators": _trusted_operators, **kwargs}
    return safe_load_inference_model(path_prefix, executor, **named)


def _create_predictor(config: Any) -> Any:
    from compatload.drop_ins import safe_create_predictor

    return safe_create_predictor(config, trusted_operators=_trusted_operators)


class PredictorPool:
    """As Paddle's own: a predictor, and clones of it that other threads run."""

    def __init__(self, config: Any, size: int) -> None:
        first = _create_predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrieve(self, idx: int) -> Any:
        return self._predictors[idx]

    retrive = retrieve  # as 2.6 spells it


# Where Paddle defines each loader, 2.6 to 3.3; other modules only have names for it.
_TABLE: tuple[tuple[str, str, _Loader], ...] = (
    ("paddle.jit.api", "load", _jit_load),
    ("paddle.static.io", "load_inference_model", _load_inference_model),
    ("paddle.inference", "create_predictor", _create_predictor),
    ("paddle.inference", "PredictorPool", PredictorPool),
)
