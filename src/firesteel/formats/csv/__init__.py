"""The format `csv`."""
