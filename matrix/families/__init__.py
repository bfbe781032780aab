"""Conversion shown on families of real models: saved, converted, loaded elsewhere, compared."""
