"""Physical plan to job."""
