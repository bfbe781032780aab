"""Models in their folded form (``programs.folding``), made anew by each load that uses it.

What is kept is a verdict of some hundred bytes: whether this program, folded into these weights,
computes the very same numbers, and is worth it. Folding takes a tenth of a second where Paddle
takes more than one; so no weights are kept twice, and nothing is loaded that was not made of the
model's own files. ``COMPATLOAD_FOLDING=off`` does without.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from compatload._version import __version__
from compatload.artifact.files import FileIdentity, read_file, reopened
from compatload.artifact.hashes import Hashes
from compatload.artifact.model import Artifact, Format
from compatload.errors import CompatLoadError
from compatload.frozen import frozen
from compatload.loading.scratch import scratch_directory
from compatload.loading.staging import link_or_copy, opens
from compatload.store.cache import OFF, ConversionCache
from compatload.store.entry import code_stamp, content_key

if TYPE_CHECKING:
    from compatload.programs.folding import FoldOutcome

logger = logging.getLogger("compatload")

#: ``off``: nothing is folded, whatever was kept.
VARIABLE = "COMPATLOAD_FOLDING"
#: Seconds of processor time below which a load is not worth being looked at.
SLOW = 0.25
_VERDICT = "folding.json"
_LONGEST = 1 << 12
_NORMALISATION = b".batch_norm"
_hashes = Hashes()


@frozen
class Folding:
    """What came of it: ``problem``, or how many normalisations were folded, and the seconds of
    processor time of a load as the model was saved, and of one that folds it first.

    ``delete_passes`` are those that are left out for the model as it was saved; ``alike``: both
    forms are handed to Paddle as they are, with the same settings. ``bits`` is what tells the
    weights that were tried (``programs.folding.FoldOutcome``).
    """

    problem: str = ""
    folded: int = 0
    bits: int = 0
    before: float = 0.0
    after: float = 0.0
    alike: bool = False
    delete_passes: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in _KINDS})

    @classmethod
    def from_json(cls, text: str | bytes) -> Folding:
        """Raises ValueError for what is none."""
        told = json.loads(text)
        if not isinstance(told, dict) or {name: type(one) for name, one in told.items()} != _KINDS:
            raise ValueError("it is no verdict on a folded model")
        passes = told.pop("delete_passes")
        if not all(isinstance(one, str) for one in passes):
            raise ValueError("its passes are no names")
        return cls(**told, delete_passes=tuple(passes))


_KINDS = {
    "problem": str,
    "folded": int,
    "bits": int,
    "before": float,
    "after": float,
    "alike": bool,
    "delete_passes": list,
}


def is_off() -> bool:
    return os.environ.get(VARIABLE, "").strip().lower() == OFF


def may_fold(kind: Format, program: bytes) -> bool:
    """Whether there can be anything to fold; cheap."""
    return kind is Format.PIR and _NORMALISATION in program


@frozen
class FoldingPlace:
    """Where the verdict on one program with certain weights is kept, for Paddle at ``place``.

    By their content, so that it holds wherever they are copied to.
    """

    place: str
    program: str
    weights: FileIdentity

    @property
    def key(self) -> str:
        """Reads the weights, once a process. Raises DamagedArtifactError if they changed."""
        return content_key("folded", *self._kind, _hash(self.weights))

    def verdict(self) -> Folding | None:
        cache = ConversionCache()
        # Weights are hashed only where somebody has folded that program.
        if cache.find(self._program_key) is None:
            return None
        try:
            entry = cache.find(self.key)
            if entry is None:
                return None
            return Folding.from_json(read_file(str(entry / _VERDICT), _LONGEST)[0])
        except (CompatLoadError, OSError, ValueError, RecursionError) as error:
            logger.debug("a verdict on a folded model is not used: %s", error)
            return None

    def keep(self, verdict: Folding, model: str) -> None:
        """In place of one that was kept before."""
        cache = ConversionCache()
        about = {"model": model, "for": "predictors: whether normalisations are folded"}
        cache.forget(self.key)
        for key in (self._program_key, self.key):
            cache.keep(key, lambda at: _write(at, verdict), about=about)

    @property
    def _kind(self) -> tuple[str, ...]:
        return (__version__, code_stamp(), self.place, self.program)

    @property
    def _program_key(self) -> str:
        return content_key("folded program", *self._kind)


def _write(directory: Path, verdict: Folding) -> None:
    (directory / _VERDICT).write_text(verdict.to_json(), encoding="utf-8")


def _hash(weights: FileIdentity) -> str:
    def digest() -> str:
        with reopened(weights) as file:
            return file.sha256()

    return _hashes.of(weights, digest)


class FoldedFiles:
    """A folded model in a private directory, until it is let go of."""

    def __init__(
        self, artifact: Artifact, directory: str, folded: FoldOutcome, scope: ExitStack
    ) -> None:
        self.folded = folded
        self.path = os.path.join(directory, "model")
        self._artifact = artifact
        self._scope = scope

    def close(self) -> None:
        self._scope.close()

    def leave_to(self, predictor: object) -> None:
        """Clones of a predictor read its files again: from now on they find the model's own.

        They are the same to the last bit, and the folded weights take no room any more.
        """
        files = self._artifact.files
        for source, suffix in ((files.program, ".json"), (files.parameters[0], ".pdiparams")):
            with suppress(OSError):
                os.unlink(self.path + suffix)
                link_or_copy(source, self.path + suffix)
        weakref.finalize(predictor, self._scope.pop_all().close)


def folded_files(artifact: Artifact) -> FoldedFiles | None:
    """The folded form of ``artifact``; None where there is nothing to fold.

    Raises DamagedArtifactError if the weights changed since they were inspected, and OSError where
    there is no room.
    """
    from compatload.programs.folding import fold

    with ExitStack() as scope:
        directory = scope.enter_context(_directory())
        folded = fold(artifact, Path(directory))
        if folded.count:
            return FoldedFiles(artifact, directory, folded, scope.pop_all())
    return None


@contextmanager
def _directory() -> Iterator[str]:
    # Not in memory: weights may be larger than what is left of it.
    base = tempfile.gettempdir()
    with scratch_directory(base if opens(base) else os.environ.get("PROGRAMDATA", base)) as made:
        yield made
