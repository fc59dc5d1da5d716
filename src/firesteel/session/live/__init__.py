"""Rows and changes of running jobs, kept for the web page."""
