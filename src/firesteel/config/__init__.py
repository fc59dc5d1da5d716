"""Configuration options: their types, the table of all options, secrets and plug-ins."""
