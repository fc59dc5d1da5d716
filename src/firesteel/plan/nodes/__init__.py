"""Plan nodes and their properties. Importing the package registers the properties of each family of nodes."""
