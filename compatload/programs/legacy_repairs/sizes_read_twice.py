"""Lists of sizes that two operators read are no longer the same (CL158)."""

from __future__ import annotations

from typing import Any

from compatload.artifact.model import Artifact
from compatload.programs.legacy_repairs.listed_sizes import Sizes, made_anew
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL158"


def copied(desc: Any, artifact: Artifact, found: Sizes) -> None:
    """Later lists have copies of what others read as well."""
    made_anew(desc, found, lambda size, copy: assign(size, copy.name))
