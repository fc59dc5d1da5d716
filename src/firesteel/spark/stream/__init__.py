"""The stream host: a Structured Streaming query."""
