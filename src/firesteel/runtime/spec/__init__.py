"""Specs of operators, sources and sinks."""
