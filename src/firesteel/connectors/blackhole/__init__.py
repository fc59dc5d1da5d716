"""The blackhole connector."""
