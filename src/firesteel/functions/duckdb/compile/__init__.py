"""Expressions as DuckDB SQL."""
