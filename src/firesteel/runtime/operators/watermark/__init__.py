"""Operators: watermark."""
