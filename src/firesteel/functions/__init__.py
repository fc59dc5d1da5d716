"""Scalar functions: signatures, DuckDB forms, Java's semantics, user-defined functions."""
