"""Generated row handler and its loop."""
