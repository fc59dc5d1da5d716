"""Binding of statements that define or fill tables."""
