"""Keyed state over sorted runs."""
