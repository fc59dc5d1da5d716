"""Sessions: the execution of statements."""
