"""What a caller asked of a drop-in, apart from what it hands through to Paddle."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from compatload.artifact.model import Artifact
from compatload.frozen import frozen
from compatload.loading.configs import native_format
from compatload.plan import Api
from compatload.runtime.model import Runtime


@frozen
class Request:
    """A load that was asked for.

    ``purpose`` sets apart loads of one kind with other plans; ``records``: what safe_save recorded
    is to be checked.
    """

    path: str | os.PathLike[str]
    api: Api
    device: str | None = None
    program: Any = None
    params: Any = None
    trusted: Collection[str] = ()
    disabled_rules: tuple[str, ...] = ()
    records: bool = False
    purpose: str = ""

    def inspect(self, runtime: Runtime) -> Artifact:
        """The whole artifact; of two formats side by side, the one that ``runtime`` reads."""
        # A load that is known needs no inspection, which takes a while to import.
        from compatload.artifact.inspection import inspect_whole

        return inspect_whole(
            self.path,
            prefer=native_format(runtime),
            program=self.program,
            params=self.params,
            trusted=self.trusted,
        )
