"""Attributes of programs that 3.x saved, which 2.6 does not know and passes over (CL140).

Attributes that no operators of 2.6 make up for are CL141's.
"""

from __future__ import annotations

from compatload.programs.legacy_repairs.as_in_pir import written_as_in_pir
from compatload.programs.legacy_repairs.pir_names import WITH_ATTRIBUTES

RULE = "CL140"
REPAIRS = written_as_in_pir(RULE, WITH_ATTRIBUTES)
