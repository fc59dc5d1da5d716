"""Host that runs a bounded job as one Spark job."""
