"""PIR programs of Paddle 3.x as programs that Paddle 2.6 reads."""

from compatload.programs.pir_to_legacy.convert import LegacyProgram, info_of, pir_to_legacy

__all__ = ["LegacyProgram", "info_of", "pir_to_legacy"]
