"""Window aggregates that use slices."""
