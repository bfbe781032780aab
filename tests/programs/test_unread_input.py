"""An input that nobody reads keeps its variable on the way to 2.6.

Its feed gave to a variable that was not declared, and passes of 2.6.2's predictor died of it.
"""

from __future__ import annotations

import copy
import json

from compatload.artifact import pir_json, program_desc
from compatload.artifact.inspection import inspect_bytes
from compatload.operators.admission import require_admissible
from compatload.programs.pir_to_legacy.convert import pir_to_legacy
from tests.fixtures.index import fixture


def test_an_input_that_nobody_reads_is_declared() -> None:
    folder = fixture("3.3.1/classifier").folder
    document = json.loads((folder / "model.json").read_bytes())
    operators = document["program"]["regions"][0]["blocks"][0]["ops"]
    place, image = next((n, one) for n, one in enumerate(operators) if one["#"] == "1.data")
    unread = copy.deepcopy(image)
    unread["O"][0]["%"] = 9999
    next(one for one in unread["A"] if one["N"] == "name")["AT"]["D"] = "unread"
    operators.insert(place + 1, unread)
    data, weights = json.dumps(document).encode(), (folder / "model.pdiparams").read_bytes()
    artifact = inspect_bytes(data, weights)
    converted = pir_to_legacy(pir_json.parse(data), artifact.parameters).program
    decoded = program_desc.decode(converted)
    assert [spec.name for spec in decoded.program.inputs] == ["image", "unread"]
    require_admissible(inspect_bytes(converted, weights))
