"""Compilation of expressions to DuckDB SQL."""
