"""Host that runs a job as a Structured Streaming query."""
