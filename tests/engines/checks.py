"""Carries out the checks of a worker, whatever becomes of one of them."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Mapping


def carry_out(functions: Mapping[str, object]) -> None:
    """Calls each ``check_…`` of a module's names; prints ``ok NAME``, or what it raised."""
    warnings.simplefilter("ignore")
    for name, check in list(functions.items()):
        if name.startswith("check_") and callable(check):
            try:
                check()
            except Exception:
                traceback.print_exc()
            else:
                print(f"ok {name}", flush=True)
