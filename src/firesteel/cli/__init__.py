"""Command line, shell and HTTP API."""
