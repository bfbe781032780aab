"""What a save came to, as one line of JSON on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any


def tell(save: Callable[[], Any]) -> None:
    from compatload.errors import CompatLoadError

    try:
        record = save()
    except CompatLoadError as error:
        print("\n" + json.dumps({"outcome": type(error).__name__, "told": str(error)}))
        return
    told = {
        "outcome": "saved",
        "paddle": record.release,
        "formats": record.formats,
        "difference": record.difference,
        "inputs": [entry["name"] for entry in record.inputs],
        "remedies": record.remedies,
        "untried": record.untried,
        "loaders": [asdict(one) for one in record.loaders if one.tried],
    }
    print("\n" + json.dumps(told))
