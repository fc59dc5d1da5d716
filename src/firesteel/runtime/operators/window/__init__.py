"""Windows of time, in columns: which rows are in which, and when they end."""
