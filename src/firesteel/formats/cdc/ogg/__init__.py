"""The format `ogg-json`."""
