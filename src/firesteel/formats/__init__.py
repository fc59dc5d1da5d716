"""Formats: messages of bytes to changes, and back."""
