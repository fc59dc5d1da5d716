"""Starting Spark."""
