"""Makes ``fixtures.index`` and ``matrix`` importable wherever pytest is started from."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
