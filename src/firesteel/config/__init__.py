"""Options: their types, the table of all, secrets, plug-ins."""
