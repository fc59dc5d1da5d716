"""Window aggregates by slices."""
