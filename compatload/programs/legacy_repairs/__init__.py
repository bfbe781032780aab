"""Repairs of legacy programs that Paddle 3.x refuses, crashes on, or runs to a wrong result.

Pure functions over the ProgramDesc message; Paddle is not needed. Each change names its rule.
"""
