"""Functions that Spark's driver and Python processes call at their start, before any work of a job."""
