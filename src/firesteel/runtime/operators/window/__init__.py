"""Time windows in columns: which rows belong to which window, and when windows end."""
