"""A layer saved plainly and with remedies, each time compared, until it is right."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from compatload.artifact.inspection import inspect_whole
from compatload.checking.target import Target
from compatload.errors import ArtifactError, CompatLoadError, DamagedArtifactError, ExportError
from compatload.exporting.diagnosis import cause_of, diagnosed, is_expected, unexplained
from compatload.exporting.model_code import Expectation, assigns_in_conditions, grows_lists
from compatload.exporting.remedies import Attempt, Remedy, remedied, remedies
from compatload.exporting.run_alone import dies_running
from compatload.exporting.saving import Saving, outputs_in_order, saved
from compatload.exporting.verification import Comparison, Samples, compared
from compatload.faults.cl153_list_of_the_run_before import fills_lists
from compatload.frozen import frozen
from compatload.operators.admission import require_admissible
from compatload.trials.fork import can_fork, dies_of

_SUPER = "CL415"


@frozen
class Export:
    """What is saved and whereto, and what is known of its code.

    ``prefix`` and ``runtime`` are how errors name them; ``code`` is the texts of its classes;
    ``assigns``: a run gave the layer attributes.
    """

    layer: Any
    staged: str
    input_spec: Sequence[Any] | None
    samples: tuple[Samples, ...]
    tolerance: float
    configs: dict[str, Any]
    target: Target
    prefix: str
    runtime: str
    expected: Sequence[Expectation]
    code: tuple[str, ...]
    assigns: bool

    def written(self) -> Attempt:
        """The attempt whose files are right, and are those that lie there.

        Raises:
            ExportError: none is; of the plain one, and what is left with every remedy.
        """
        first = self._endless() if assigns_in_conditions(self.code) else self.tried()
        # What the samples do not show may be wrong all the same.
        doubted = {entry.rule for entry in self.expected if entry.happens == "wrong"}
        known = remedies(self.layer)
        if isinstance(getattr(first.error, "__cause__", None), RecursionError):
            known = tuple(one for one in known if _SUPER in one.solves)
        expected = {entry.rule for entry in self.expected}
        # What answers the code is tried first: what does not may end the process (3.x uses values
        # of a loop that it has made anew).
        known = tuple(sorted(known, key=lambda one: not one.solves & expected))
        taken, failing = remedied(first, doubted - first.solved, known, self.tried)
        if not taken.found.differs:
            return taken
        if taken.error is not None:
            raise _with_last(taken.error, failing)
        cause, doubt = cause_of(taken.found.differs, self.expected), taken.doubt
        # An input that leads nowhere may be what is left of code that comes out wrong.
        if doubt is not None and (cause is None or is_expected(doubt, self.expected)):
            raise diagnosed(doubt, self.prefix, self.runtime, self.expected) from doubt
        raise self._unexplained("CL453", cause, taken.found.differs)

    def tried(self, remedy: Remedy | None = None) -> Attempt:
        """Saved, and compared. A program that Paddle was about to refuse may end the process when
        it is made otherwise: that is tried in a child first. Not that it runs: the threads of
        Paddle's executor are not those of a child, which waits for them."""

        forms: set[str] = set()

        def made() -> Saving:
            with remedy.scope(self.layer) if remedy else nullcontext() as given:
                saving = self._saved()
            forms.update(given or ())
            return saving

        try:
            if self._is_risky if remedy is None else can_fork():
                self._require_alive(dies_of(made), "saving")
            saving = made()
            self._require_alive(self._dies_running(), "running")
            found = compared(self.staged, self.samples, self.tolerance, self.configs)
        except DamagedArtifactError as error:
            said = f"what Paddle wrote is no sound program ({error.problem})"
            unsound = self._unexplained("CL453", None, said)
            unsound.__cause__ = error
            return Attempt(Comparison(None, str(unsound)), error=unsound)
        except (ExportError, ArtifactError) as error:
            return Attempt(Comparison(None, str(error)), error=error)
        return Attempt(found, saving.told, doubt=saving.doubt, forms=frozenset(forms))

    def _saved(self) -> Saving:
        arguments = self.samples[0].arguments
        try:
            saving = saved(self.layer, self.staged, self.input_spec, arguments, self.configs)
        except Exception as error:
            raise diagnosed(error, self.prefix, self.runtime, self.expected) from error
        artifact = inspect_whole(self.staged)
        require_admissible(artifact, self.target.trusted_operators)
        return replace(saving, told=(*saving.told, *outputs_in_order(artifact)))

    @property
    def _crash(self) -> Expectation | None:
        return next((entry for entry in self.expected if entry.happens == "crash"), None)

    @property
    def _is_risky(self) -> bool:
        """Of a Tensor that is kept: it may be one of a branch that is gone, and the process goes
        with it."""
        return self._crash is not None or grows_lists(self.code) or self.assigns

    def _dies_running(self) -> str | None:
        """A list in the program may be read where it has nothing, of which kernels die."""
        artifact = inspect_whole(self.staged)
        if not fills_lists(artifact.program):
            return None
        places = self.samples[0].arguments.named([spec.name for spec in artifact.inputs])
        return dies_running(self.staged, self.samples[0], places)

    def _require_alive(self, signal_name: str | None, doing: str) -> None:
        if signal_name:
            raise self._unexplained("CL454", self._crash, f"{doing} it ends in {signal_name}")

    def _endless(self) -> Attempt:
        error = self._unexplained("CL461", None, "the program would not end")
        return Attempt(Comparison(None, error.problem), error=error)

    def _unexplained(self, rule: str, cause: Expectation | None, seen: str) -> ExportError:
        return unexplained(rule, cause, self.prefix, self.runtime, seen)


def _with_last(error: CompatLoadError, failing: Attempt | None) -> CompatLoadError:
    """The plain save's error, which says as well what is left with everything that is known."""
    last = failing.error if failing else None
    problem = (last.problem if last else failing.found.differs) if failing else ""
    if problem and problem != error.problem:
        error.problem += f" Converted in every other form that is known, it fails, too: {problem}"
    return error
