"""Makes ``fixtures.index`` and ``matrix`` importable wherever pytest is started from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
# Tests of the cache make their own; loads in all others must not leave anything in the user's.
os.environ["COMPATLOAD_CACHE"] = "off"
