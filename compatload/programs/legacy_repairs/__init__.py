"""Repairs of legacy programs that Paddle 3.x refuses, crashes on, or runs to a wrong result.

Pure functions over the ProgramDesc message; Paddle is not needed. Each change names its rule.
"""

from compatload.programs.legacy_repairs.program import LegacyChange
from compatload.programs.legacy_repairs.repair import Repaired, repair

__all__ = ["LegacyChange", "Repaired", "repair"]
