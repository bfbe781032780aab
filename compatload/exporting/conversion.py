"""What a conversion did, and how far it was proven: plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict

from compatload.frozen import frozen
from compatload.programs.pir_changes import Change


@frozen
class Trial:
    """One run of the result beside the source, on the same inputs.

    Args:
        api: ``layer``, ``program`` or ``predictor``: Paddle's own loader of the result.
        shapes: of the inputs, by name; None where the result was never run.
        difference: the largest one, relative to the scale of the source's output; integers and
            booleans must be equal. None: there are no numbers, and ``problem`` says why.
    """

    api: str
    shapes: dict[str, tuple[int, ...]] | None
    difference: float | None
    problem: str = ""


@frozen
class Verification:
    """How the result was checked.

    Args:
        asked: whether it was to be run at all (``verify=``).
        structure: the checks of the result's files that were made, and held.
        outcome: ``agrees``, or ``not run`` with the ``reason``. What does not agree is no result.
        source_paddle, result_paddle: the releases that ran the two.
        tolerance: what ``difference`` was held against.
    """

    asked: bool
    structure: tuple[str, ...]
    outcome: str = "not run"
    reason: str = ""
    source_paddle: str | None = None
    result_paddle: str | None = None
    tolerance: float | None = None
    trials: tuple[Trial, ...] = ()


@frozen
class Conversion:
    """A conversion that was carried out; every path is as it was given.

    Args:
        target: prefix of the files written, as Paddle's loaders want it.
        to: what was asked for; ``release`` is the one whose programs were written.
        source_format, target_format: ``legacy``, ``legacy-text`` or ``pir``.
        files: written, the program last.
        changes: by operator; those without an operator concern the program as a whole.
    """

    source: str
    target: str
    to: str
    release: str
    source_format: str
    target_format: str
    files: tuple[str, ...]
    changes: tuple[Change, ...]
    verification: Verification
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)

    def explain(self) -> str:
        """The conversion in words, a line a thing."""
        lines = [f"{self.source}: {self.source_format} → {self.target_format}, as Paddle "]
        lines[0] += f"{self.release} writes it"
        lines += [f"  wrote {path}" for path in self.files]
        for change in self.changes:
            subject = f"{change.count} × {change.operator}: " if change.operator else ""
            lines.append(f"  {subject}{change.what}")
        checked = self.verification
        lines += [f"  checked: {held}" for held in checked.structure]
        if checked.outcome == "agrees":
            worst = max(t.difference for t in checked.trials if t.difference is not None)
            lines.append(
                f"  numbers agree: paddle {checked.source_paddle} on the source, "
                f"{checked.result_paddle} on the result, largest difference {worst:.3g}"
            )
        else:
            lines.append(f"  numbers not compared: {checked.reason}")
        lines += [f"  {trial.api}: {trial.problem}" for trial in checked.trials if trial.problem]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])
