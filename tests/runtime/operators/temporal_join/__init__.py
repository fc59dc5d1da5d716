"""Temporal joins without Spark."""
