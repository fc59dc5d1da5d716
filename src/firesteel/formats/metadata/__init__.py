"""Metadata columns of messages."""
