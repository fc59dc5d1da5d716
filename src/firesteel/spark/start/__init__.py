"""Code that processes started by Spark run first."""
