"""Dates, times and timestamps as DuckDB SQL."""
