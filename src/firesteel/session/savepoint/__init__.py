"""Savepoints and rescales."""
