"""Tables that are asked for the rows of some keys: lookups of connectors, and the caches in front of them."""
