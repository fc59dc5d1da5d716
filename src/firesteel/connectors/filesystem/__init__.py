"""The filesystem connector."""
