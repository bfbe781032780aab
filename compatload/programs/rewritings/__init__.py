"""Operators written otherwise for a predictor, a file a way: for legacy programs and for PIR ones.

Each file has ``legacy``, which gives what stands in an operator's place, and ``pir``, which has a
``Writer`` write it.
"""
