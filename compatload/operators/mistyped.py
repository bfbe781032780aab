"""Operators whose results are of another type than Paddle 3.x declares."""

from __future__ import annotations

from collections.abc import Mapping

# All of their results are declared float32, whatever they are given (3.0.0 to 3.3.1).
ALWAYS_FLOAT32 = frozenset({"unique", "unique_consecutive"})
# Declared of the type of what they are given (CL459); what they give.
AS_GIVEN: Mapping[str, str] = {
    **dict.fromkeys(("all", "any", "equal_all"), "bool"),
    **dict.fromkeys(("matrix_rank", "matrix_rank_atol_rtol", "matrix_rank_tol"), "int64"),
}
