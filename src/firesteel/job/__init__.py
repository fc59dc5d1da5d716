"""Serializable descriptions of jobs, which workers run."""
