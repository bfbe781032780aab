"""Which programs native code may meet: those that only compute. Pure; no Paddle, no files.

A saved model is a program for Paddle's operators, and some of those write files, open sockets, call
Python or load libraries. Paddle runs them when the program runs, and while it loads one where its
passes compute constants. So every operator of every block and method is looked up in one table
(``effects``) before Paddle sees the program, and must have what its kind needs (``requirements``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import sha256

from compatload.artifact.model import Artifact, Format, Operator
from compatload.errors import (
    DamagedArtifactError,
    IncompatibleError,
    UnsafeArtifactError,
    UnsupportedOperatorError,
)
from compatload.operators.effects import Effect, effect_of, harmless_values, reaches
from compatload.operators.operands import UNLIKE
from compatload.operators.registry import legacy_descriptions
from compatload.operators.requirements import flaws
from compatload.releases import PIR_VERSIONS, known_pir_versions

# Rules by which `compatload rule` explains these refusals.
DAMAGED, UNSAFE, UNKNOWN, VERSION = "CL001", "CL004", "CL009", "CL105"
# Places that a message spells out.
_MOST_NAMED = 5
_CUSTOM = "custom_op."
# Its forward is a block of operators, which is written out before Paddle sees the program (CL161).
PYTHON_LAYER = "pd_op.pylayer"
# Programs that were let in, by the hashes of all their bytes, which say everything that is looked
# at: a service loads the same one again and again.
_ADMITTED: set[tuple[object, ...]] = set()
_MOST_ADMITTED = 1024


def require_admissible(
    artifact: Artifact, trusted_operators: Collection[str] = (), *, written_out: bool = True
) -> None:
    """Return only if every program of ``artifact`` may be handed to Paddle.

    Args:
        trusted_operators: exact names of operators that are let in whatever they do, such as those
            of a custom library that the caller has loaded (``"my_relu"``, without a dialect).
        written_out: whether layers of Python give way to their forwards before that.

    Raises:
        UnsafeArtifactError: an operator reaches outside of the program.
        IncompatibleError: nobody knows its version of PIR, nor what its operators mean.
        UnsupportedOperatorError: no known release of Paddle has such an operator.
        DamagedArtifactError: an operator lacks what its kind needs.
    """
    trusted = frozenset(trusted_operators).union([PYTHON_LAYER] if written_out else ())
    seen = (
        trusted,
        artifact.format,
        *(sha256(part.program_bytes).digest() for _, part in _parts(artifact)),
    )
    if seen not in _ADMITTED:
        _require(artifact, trusted)
        if artifact.program_bytes and len(_ADMITTED) < _MOST_ADMITTED:
            _ADMITTED.add(seen)


def _require(artifact: Artifact, trusted: frozenset[str]) -> None:
    outside = _found(artifact, trusted, _reached)
    if outside:
        raise UnsafeArtifactError(
            f"{artifact.path} does more than compute: {_listed(outside)}.",
            action="Do not load it. If you know who made it and why it does that, let it in by "
            f"name: trusted_operators={_names(outside)}.",
            artifact=artifact.path,
            rule=UNSAFE,
        )
    if artifact.format is Format.PIR and artifact.pir_version not in PIR_VERSIONS:
        raise IncompatibleError(
            f"{artifact.path} is a PIR program of version {artifact.pir_version}, which nobody "
            f"knows. Known are {known_pir_versions()}.",
            action="Update compatload, or save the model again with one of these releases.",
            artifact=artifact.path,
            rule=VERSION,
        )
    unknown = _found(artifact, trusted, _unknown)
    if unknown:
        raise UnsupportedOperatorError(
            f"{artifact.path} has operators that no known release of Paddle has: "
            f"{_listed(unknown)}.",
            action="If a library of yours brings them, load it first and name them: "
            f"trusted_operators={_names(unknown)}.",
            artifact=artifact.path,
            rule=UNKNOWN,
        )
    for method, part in _parts(artifact):
        for flaw in flaws(part):
            raise DamagedArtifactError(
                f"{part.path} is damaged: {flaw}{_in(method)}.",
                action=_OF_TYPES if f"{UNLIKE}float" in flaw else "Fetch or save the model again.",
                artifact=artifact.path,
                rule=DAMAGED,
            )


# 2.6 saves such (where(m, x, -1.0)), and its kernels fail of them.
_OF_TYPES = (
    "Fetch the model again; or save it with operands of one type, which a number beside a Tensor "
    "need not be: paddle.full_like(x, -1.0)."
)


def _parts(artifact: Artifact) -> Iterator[tuple[str, Artifact]]:
    yield "", artifact
    yield from artifact.method_artifacts.items()


# The operator, the method it stands in ("" for forward), and what speaks against it.
_Found = Sequence[tuple[Operator, str, str]]


def _found(
    artifact: Artifact, trusted: frozenset[str], objection: Callable[[Operator], str | None]
) -> _Found:
    found = []
    for method, part in _parts(artifact):
        # A program has a few dozen kinds of operators, however long it is.
        concerned = set(filter(_needs_a_look, part.program.operator_counts))
        for operator in part.program.operators if concerned else ():
            if operator.name in concerned and operator.name.removeprefix(_CUSTOM) not in trusted:
                why = objection(operator)
                if why is not None:
                    found.append((operator, method, why))
    return found


def _needs_a_look(name: str) -> bool:
    return effect_of(name) in (None, Effect.OUTSIDE) or bool(harmless_values(name))


def _unknown(operator: Operator) -> str | None:
    return "" if effect_of(operator.name) is None else None


def _reached(operator: Operator) -> str | None:
    if effect_of(operator.name) is Effect.OUTSIDE:
        return reaches(operator.name)
    for attribute, harmless in harmless_values(operator.name).items():
        value = _value(operator, attribute)
        if value != harmless:
            return f"{attribute}={value!r:.40}, {reaches(operator.name)}"
    return None


def _value(operator: Operator, attribute: str) -> object:
    """Of an attribute that the program may leave to the operator's default."""
    if attribute in operator.attributes:
        return operator.attributes[attribute]
    described = (one.attribute(attribute) for one in legacy_descriptions(operator.name))
    return next((one.default for one in described if one is not None), None)


def _in(method: str) -> str:
    return f" of method {method!r}" if method else ""


def _listed(found: _Found) -> str:
    told = [
        f"{operator.position}{_in(method)}{f' ({why})' if why else ''}"
        for operator, method, why in found[:_MOST_NAMED]
    ]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return "; ".join(told) + more


def _names(found: _Found) -> str:
    names = sorted({operator.name.removeprefix(_CUSTOM) for operator, _, _ in found})
    return repr(tuple(names[:_MOST_NAMED]))
