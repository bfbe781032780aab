"""Whether Paddle's PIR is on, and what decided it.

Measured on 2.6.2 and on 3.0.0 to 3.3.1:

- ``paddle.framework.in_pir_mode()`` is False in dynamic mode whatever the flag says.
- ``paddle.get_flags("FLAGS_enable_pir_api")`` follows ``paddle.set_flags``, which the loaders
  do not.
- ``paddle.base.framework.use_pir_api()`` is what the loaders ask. Its value belongs to a
  *thread*: a thread that asks first takes it from the environment (3.x) and from the flag.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from packaging.version import InvalidVersion

from compatload.runtime.model import IrMode
from compatload.runtime.release import release_of

FLAG = "FLAGS_enable_pir_api"

# 3.x compares the lower-cased text with exactly these and takes anything else, the empty text
# included, for True; 2.6 takes exactly these two for True and anything else for False (measured).
_OFF_IN_3 = frozenset({"n", "no", "f", "false", "off", "0"})
_ON_IN_2 = frozenset({"1", "true"})


def flag_value(text: str, version: str | None) -> bool:
    """How the Paddle of that version reads ``text`` as the value of ``FLAGS_enable_pir_api``."""
    lowered = text.lower()
    return lowered not in _OFF_IN_3 if pir_by_default(version) else lowered in _ON_IN_2


def pir_by_default(version: str | None) -> bool:
    """Whether that version has PIR on when nobody says otherwise: 3.x and later do, and what is
    no version counts as new."""
    try:
        return not version or release_of(version).major >= 3
    except InvalidVersion:
        return True


def running_ir_mode() -> IrMode | None:
    """The mode of the Paddle imported in this process, for the calling thread; None without one.

    In a thread that has not used Paddle yet this initialises Paddle's thread state, as the
    thread's first use of Paddle would.
    """
    framework = sys.modules.get("paddle.base.framework")
    use_pir_api = getattr(framework, "use_pir_api", None)
    if use_pir_api is None:  # not imported, or only in part: its import failed or is going on
        return None
    return IrMode(pir=bool(use_pir_api()), source="imported")


def ir_mode(version: str | None, environment: Mapping[str, str]) -> IrMode:
    """The mode a Paddle of that version will start in under ``environment``."""
    text = environment.get(FLAG)
    if text is None:
        return IrMode(pir=pir_by_default(version), source="default")
    return IrMode(pir=flag_value(text, version), source="environment")
