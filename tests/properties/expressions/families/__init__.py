"""One file a family of functions; the file's name is the family's."""
