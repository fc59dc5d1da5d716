"""Jobs: what workers get."""
