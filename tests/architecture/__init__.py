"""The structure of the project, tried out."""
