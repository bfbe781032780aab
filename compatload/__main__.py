"""``python -m compatload``, the same as the ``compatload`` command."""

from __future__ import annotations

import sys

from compatload.cli import main

sys.exit(main())
