"""Plan nodes: several joins by one key."""
