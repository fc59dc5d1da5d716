"""Restarts of a job that failed: Flink's strategies, and which failures they are for."""
