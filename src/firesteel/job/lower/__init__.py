"""Translation of a physical plan to a job."""
