"""Rows of running queries for readers."""
