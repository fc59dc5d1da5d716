"""Statements that define or fill tables."""
