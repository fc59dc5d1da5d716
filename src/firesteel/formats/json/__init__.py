"""The format `json`."""
