"""The batch host: one Spark job."""
