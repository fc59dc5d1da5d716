"""The format `maxwell-json`."""
