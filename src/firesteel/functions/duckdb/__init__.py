"""Expressions as DuckDB SQL, and the functions that DuckDB lacks."""
