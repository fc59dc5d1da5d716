"""Joins of two changing inputs."""
