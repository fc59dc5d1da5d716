"""Restarts of a failed job: Flink's restart strategies, and the choice of failures that may be restarted."""
