"""Plan nodes: MultiJoin, which joins several inputs by one key."""
