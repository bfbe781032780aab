"""What is done about a model that comes out wrong or not at all: scopes in which it is saved
otherwise, and which of them is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from compatload.errors import CompatLoadError
from compatload.exporting.changes_in_place import changes_kept
from compatload.exporting.copied_outputs import outputs_copied
from compatload.exporting.counted_sizes import sizes_counted
from compatload.exporting.forms_given import forms_given
from compatload.exporting.functions_in_programs import written_for_programs
from compatload.exporting.loop_states import states_copied
from compatload.exporting.verification import Comparison
from compatload.frozen import frozen

_COPIED = (
    "outputs copied with paddle.assign, because the model came out wrong without: "
    "an addition of a constant was lost, or one Tensor is several outputs (CL421)"
)
_STATES = (
    "states of loops copied before them with paddle.assign, because the model came out wrong "
    "without: they begin as one Tensor or as one that is needed again, or change places (CL422)"
)
_CHANGES = (
    "what changes in place (y.exp_()) does so in the program as well, because the model came out "
    "wrong without: Paddle loses such changes (CL438)"
)
_SIZES = (
    "sizes that are not known are counted with where the program runs, because the model could not "
    "be saved, or came out wrong, without: Paddle counts with -1 for them (CL457)"
)
_FUNCTIONS = (
    "functions that Paddle has for Tensors only (view, as_strided, unfold, fill_, set_value …; "
    "triu and tril from a counted diagonal, stft with a window of the layer) are written as what a "
    "program has (CL458), and those of them that change in place do (CL438)"
)
_FORMS = (
    "code that Paddle cannot make a program of, or makes another of, is converted in a form that "
    "it knows, of the same meaning"
)
_BY_FORM = {
    "CL424": "comparisons in a chain (CL424)",
    "CL403": "loops that begin with a truth of Python (CL403)",
    "CL404": "loops that begin with None, whose first turn is always taken (CL404)",
    "CL409": "loops that begin with None or without a key, whose first turn stands in front "
    "(CL404, CL409)",
    "CL427": "return of a loop (CL427)",
    "CL435": "else of a loop (CL435)",
    "CL433": "comprehensions (CL433)",
    "CL436": "lists that are extended, joined or turned (CL436)",
    "CL437": "zip over free dimensions (CL437)",
    "CL410": "update of a dict (CL410)",
    "CL425": "None, a text or a function out of a branch (CL401, CL425)",
    "CL415": "super() (CL415)",
    "CL423": "parameters by name alone (CL423)",
    "CL417": "hooks of gradients, which are left out (CL417)",
}
# Those that may help where a size decides: what counts with sizes answers the one, forms the other.
_OF_SIZES = frozenset({"CL457", "CL424"})


@frozen
class Remedy:
    """``scope(layer)`` is one in which it is saved otherwise, and may tell what forms it gave;
    ``told`` says how."""

    scope: Callable[[Any], AbstractContextManager[Any]]
    told: tuple[str, ...]

    @property
    def solves(self) -> frozenset[str]:
        return rules_in(*self.told, *(_BY_FORM.values() if _FORMS in self.told else ()))

    def said(self, forms: Collection[str]) -> tuple[str, ...]:
        """How it was saved, where code was given these forms."""
        given = ", ".join(text for rule, text in _BY_FORM.items() if rule in forms)
        texts = (f"{_FORMS}: {given}" if one == _FORMS else one for one in self.told)
        return tuple(one for one in texts if given or not one.startswith(_FORMS))


@frozen
class Attempt:
    """A save, and how what it wrote compares. ``error``: there is nothing, and why; ``told``: what
    was done for it; ``doubt`` as of ``Saving``; ``forms`` that code was given."""

    found: Comparison
    told: tuple[str, ...] = ()
    error: CompatLoadError | None = None
    doubt: Exception | None = None
    forms: frozenset[str] = frozenset()

    @property
    def solved(self) -> frozenset[str]:
        return rules_in(*self.told)


def remedies(layer: Any) -> tuple[Remedy, ...]:
    """Each by itself, and all at once."""
    known = [
        *([(outputs_copied, _COPIED)] if hasattr(layer, "register_forward_post_hook") else []),
        (states_copied, _STATES),
        (changes_kept, _CHANGES),
        (sizes_counted, _SIZES),
        (forms_given, _FORMS),
        (written_for_programs, _FUNCTIONS),
    ]

    @contextmanager
    def together(subject: Any) -> Iterator[Any]:
        with ExitStack() as scope:
            given = [scope.enter_context(one(subject)) for one, _ in known]
            yield next(one for one in given if one is not None)

    single = (Remedy(one, (told,)) for one, told in known)
    return (*single, Remedy(together, tuple(told for _, told in known)))


def remedied(
    first: Attempt,
    doubted: Collection[str],
    known: Sequence[Remedy],
    tried: Callable[[Remedy | None], Attempt],
) -> tuple[Attempt, Attempt | None]:
    """The attempt that is taken, whose files are the last that were written, and the last one that
    was not.

    That is the first with a remedy that is right for further sizes as well, where the plain one
    differs, or where what a remedy solves is doubted; else the first that is right.

    Args:
        first: the plain one.
        doubted: rules that may have come out wrong, though the numbers are right.
        tried: makes an attempt with a remedy, or the plain one again.
    """
    taken, failing = first, None
    helped: Remedy | None = None
    last: Remedy | None = None
    for remedy in known:
        of_sizes = bool(taken.found.at_edges and _OF_SIZES & remedy.solves)
        if not (taken.found.differs or of_sizes or remedy.solves.intersection(doubted)):
            continue
        made, last = tried(remedy), remedy
        made = replace(made, told=(*remedy.said(made.forms), *made.told))
        if made.found.differs:
            failing = made
        elif not made.found.at_edges:
            return made, failing
        elif taken.found.differs:
            taken, helped = made, remedy
    if last is not helped and not taken.found.differs:
        again = tried(helped)  # another may have written over it
        taken = replace(again, told=taken.told)
    return taken, failing


def rules_in(*told: str) -> frozenset[str]:
    return frozenset(re.findall(r"CL\d+", " ".join(told)))
