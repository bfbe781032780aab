"""Recipes: by the name of a parameter, and by function where its parameters hang together."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.generator.recipes.by_name import RECIPES, Recipe
from matrix.generator.recipes.computing import COMPUTING
from matrix.generator.recipes.placing import PLACING
from matrix.generator.recipes.programs import PROGRAMS
from matrix.generator.recipes.rare import RARE
from matrix.generator.recipes.structured import STRUCTURED

SPECIAL: Mapping[str, Recipe] = {**COMPUTING, **PLACING, **RARE, **STRUCTURED, **PROGRAMS}

__all__ = ["RECIPES", "SPECIAL"]
