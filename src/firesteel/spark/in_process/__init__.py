"""A host that runs a job in this process, without Spark."""
