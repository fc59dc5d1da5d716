"""Generated row handler, and the loop that runs it."""
