"""Keys, sorting and equality of Arrow columns."""
