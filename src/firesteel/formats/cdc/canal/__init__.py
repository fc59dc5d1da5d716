"""The format `canal-json`."""
