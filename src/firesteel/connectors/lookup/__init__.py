"""Tables for lookups by key: lookups of connectors, and their caches."""
