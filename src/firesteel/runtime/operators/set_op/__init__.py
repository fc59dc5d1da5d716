"""Operators for set operations and shared inputs."""
