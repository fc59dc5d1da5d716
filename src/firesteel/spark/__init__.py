"""The hosts that run jobs on Spark."""
