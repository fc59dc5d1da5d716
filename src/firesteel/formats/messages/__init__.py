"""Messages as bytes and text, shared by formats."""
