"""The generated row handler and its loop."""
