"""Which ways through the branches of a model's code its samples took."""

from __future__ import annotations

import ast
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Union

from compatload.checking.python_source import PythonSource, UnparsableError
from compatload.checking.source_rules.to_static.converted import converted_functions
from compatload.checking.source_rules.to_static.tensors import Tensors
from compatload.exporting.guards import only_tells
from compatload.exporting.model_code import CodeLine, is_own

_Branch = Union[ast.If, ast.While]
_KINDS: tuple[type[_Branch], ...] = (ast.If, ast.While)
_END = -1


class TooLongError(Exception):
    """The model's own code takes longer than it may."""


class Ways:
    """Steps from line to line in the model's own files, and lines that asked a Tensor its truth."""

    def __init__(self) -> None:
        self._end = math.inf
        self.steps: dict[str, set[tuple[int, int]]] = {}
        self.asked: set[tuple[str, int]] = set()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """What runs in this thread, in the scope."""
        import paddle

        before, truth = sys.gettrace(), paddle.Tensor.__bool__

        def ask(tensor: Any) -> bool:
            frame = sys._getframe(1)
            self.asked.add((frame.f_code.co_filename, frame.f_lineno))
            answer: bool = truth(tensor)
            return answer

        paddle.Tensor.__bool__ = ask
        sys.settrace(self._entered)
        try:
            yield
        finally:
            sys.settrace(before)
            paddle.Tensor.__bool__ = truth

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """TooLongError in the model's own code when the time is over: a loop may wait for what
        unusual numbers never become."""
        self._end = time.monotonic() + seconds
        try:
            yield
        finally:
            self._end = math.inf
            sys.settrace(self._entered)  # which raising has ended

    def _entered(self, frame: FrameType, event: str, argument: object) -> Any:
        file = frame.f_code.co_filename
        if file not in self.steps:
            self.steps[file] = set() if is_own(file) else _NOBODYS
        steps = self.steps[file]
        if steps is _NOBODYS:
            return None
        last = frame.f_lineno

        def step(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal last
            line = _END if event == "return" else frame.f_lineno
            steps.add((last, line))
            last = line
            if time.monotonic() > self._end:
                raise TooLongError
            return step

        return step

    def untaken(self) -> tuple[str, ...]:
        """Ways that Tensors or free dimensions decide about, and that no sample took."""
        return tuple(
            f"{CodeLine(file, branch.lineno)}: no sample {way}"
            for file, steps in sorted(self.steps.items())
            if steps
            for branch in self._deciding(file)
            for way in _untaken(branch, steps)
        )

    def _deciding(self, file: str) -> list[_Branch]:
        try:
            source = PythonSource(file, Path(file).read_bytes())
        except (OSError, UnparsableError, RecursionError):
            return []
        found = {
            node
            for node in ast.walk(source.tree)
            if isinstance(node, (ast.If, ast.While))
            and any((file, line) in self.asked for line in _lines(node.test))
        }
        for function in converted_functions(source):
            tensors = Tensors(function, source)
            for kind in _KINDS:
                for node in tensors.nodes(kind):
                    if any(tensors.is_free(part) for part in _parts(node.test)):
                        found.add(node)
        return sorted(found, key=lambda node: node.lineno)


_NOBODYS: set[tuple[int, int]] = set()


def _parts(test: ast.expr) -> list[ast.expr]:
    return [node for node in ast.walk(test) if isinstance(node, ast.expr)]


def _lines(node: ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _untaken(branch: _Branch, steps: set[tuple[int, int]]) -> Sequence[str]:
    test = range(branch.lineno, _lines(branch.test).stop)
    body = range(branch.body[0].lineno, (branch.body[-1].end_lineno or branch.lineno) + 1)
    if body.start in test:  # on one line: steps do not tell
        return ()
    left = {line for start, line in steps if start in test and line not in test}
    if not left:
        return ()
    told = []
    if not any(line in body for line in left) and not only_tells(branch.body):
        told.append("makes it true")
    if all(line in body for line in left):
        told.append("makes it false")
    return told
