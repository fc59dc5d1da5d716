"""Operators: set operations and shared inputs."""
