"""CL421 in a saved program: an output from which ``paddle.jit.save`` left an addition out. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compatload.artifact.model import Artifact, Format, Operator
from compatload.rules.links import FIRST, Links, operand

_INPUT = "pd_op.data"
_OUTPUT = "pd_op.fetch"
_SUM = "pd_op.scale"


@dataclass(frozen=True)
class LostAddition:
    """``sum`` computes ``input + constant`` for nobody; one of ``columns`` should return it.

    ``columns`` are the outputs, counted from 0, that return the input itself instead.
    """

    sum: Operator
    input: str
    constant: float
    columns: tuple[int, ...]


def lost_additions(artifact: Artifact) -> Iterator[LostAddition]:
    """Sums that nobody reads, of inputs that are outputs as well.

    ``paddle.jit.save`` leaves out what no output depends on, but for this: a file that holds such
    a sum was wrong from the beginning (3.0.0 to 3.3.1), and tells by how much.
    """
    if artifact.format is not Format.PIR:
        return
    operators = artifact.program.operators
    sums = [one for one in operators if one.name == _SUM and _constant(one)]
    links = Links(operators) if sums else None
    for one in sums:
        value = operand(one, FIRST)
        given = links.makes(value) if links else None
        if links is None or given is None or given.name != _INPUT or any(links.after(one)):
            continue
        readers = links.readers.get(value or "", ())
        columns = tuple(_column(reader) for reader in readers if reader.name == _OUTPUT)
        if columns:
            name = str(given.attributes.get("name", value))
            yield LostAddition(one, name, _constant(one), tuple(sorted(columns)))


def _constant(operator: Operator) -> float:
    bias = operator.attributes.get("bias")
    return float(bias) if isinstance(bias, (int, float)) else 0.0


def _column(fetch: Operator) -> int:
    column = fetch.attributes.get("col")
    return column if isinstance(column, int) else 0
