"""SQL types and their values."""
