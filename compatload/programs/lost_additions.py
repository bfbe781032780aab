"""CL118: outputs from which ``paddle.jit.save`` left an addition out, put back. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compatload.artifact import pir_json
from compatload.artifact.model import Artifact, Format, Operator
from compatload.errors import DamagedArtifactError
from compatload.frozen import frozen
from compatload.programs.pir_changes import operator_name
from compatload.programs.pir_graph import with_program
from compatload.rules.links import FIRST, Links, operand

RULE = "CL118"
_INPUT = "pd_op.data"
_OUTPUT = "pd_op.fetch"
_SUM = "pd_op.scale"


@frozen
class LostAddition:
    """``sum`` computes ``input + constant`` for nobody; one of ``columns`` should return it.

    ``columns`` are the outputs, counted from 0, that return the input itself instead.
    """

    sum: Operator
    input: str
    constant: float
    columns: tuple[int, ...]

    @property
    def told(self) -> str:
        """``"x + 0.5, pd_op.scale (block 0, operator 2)"``."""
        sign = "-" if self.constant < 0 else "+"
        return f"{self.input} {sign} {abs(self.constant):g}, {self.sum.position}"


def lost_additions(artifact: Artifact) -> tuple[LostAddition, ...]:
    """Sums that nobody reads, of inputs that are outputs as well.

    ``paddle.jit.save`` leaves out what no output depends on, but for this: a file that holds such
    a sum was wrong from the beginning (3.0.0 to 3.3.1), and tells by how much.
    """
    return tuple(_lost(artifact)) if artifact.format is Format.PIR else ()


def _lost(artifact: Artifact) -> Iterator[LostAddition]:
    operators = artifact.program.operators
    inputs = {
        value: str(one.attributes.get("name", value))
        for one in operators
        if one.name == _INPUT
        for values in one.outputs.values()
        for value in values
    }
    columns: dict[str, set[int]] = {}  # of outputs, by the input that they are
    for one in operators:
        if one.name == _OUTPUT and not one.block and (value := operand(one, FIRST)) in inputs:
            columns.setdefault(value, set()).add(_column(one))
    if not columns:
        return
    links = Links(operators)
    for one in operators:
        if one.name != _SUM or one.block or (value := operand(one, FIRST)) not in columns:
            continue
        if _constant(one) and not any(links.after(one)):
            yield LostAddition(one, inputs[value], _constant(one), tuple(sorted(columns[value])))


def _constant(operator: Operator) -> float:
    bias = operator.attributes.get("bias")
    return float(bias) if isinstance(bias, (int, float)) else 0.0


def _column(fetch: Operator) -> int:
    column = fetch.attributes.get("col")
    return column if isinstance(column, int) else 0


def restored(artifact: Artifact) -> Artifact:
    """``artifact`` with a program that returns what was lost; itself where nothing was.

    Raises DamagedArtifactError where it cannot be told which of several outputs lost it.
    """
    lost = lost_additions(artifact)
    if not lost:
        return artifact
    columns = [column for one in lost for column in one.columns]
    if len(columns) != len(lost) or len(set(columns)) != len(lost):
        raise DamagedArtifactError(
            f"{artifact.path} returns an input as it came in and computes "
            f"{'; '.join(one.told for one in lost)} for nobody: paddle.jit.save left that out, and "
            f"which of the outputs {', '.join(map(str, sorted(set(columns))))} it belongs to "
            "cannot be told.",
            action="Save the model again with compatload.safe_save.",
            artifact=artifact.path,
            rule=RULE,
        )
    told = (f"output {one.columns[0]} is {one.told} again [{RULE}]" for one in lost)
    return with_program(artifact, _rewritten(artifact, lost), *told)


def _rewritten(artifact: Artifact, lost: Sequence[LostAddition]) -> dict[str, Any]:
    document = pir_json.parse(artifact.program_bytes, artifact.files.program)
    sums = {one.columns[0]: next(iter(one.sum.outputs.values()))[0] for one in lost}
    for operator in document["program"]["regions"][0]["blocks"][0]["ops"]:
        if operator_name(operator["#"]) != _OUTPUT:
            continue
        attributes: dict[str, Any] = {one["N"]: one["AT"] for one in operator["A"]}
        column = attributes["col"]["D"] if "col" in attributes else 0
        if column in sums:
            operator["I"][0]["%"] = int(sums[column].lstrip("%"))
            # The name is that of the input; Paddle names an output of its own so.
            attributes.get("name", {})["D"] = f"fetch_name_{column}"
    return document
