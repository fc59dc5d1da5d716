"""Window aggregates row by row."""
