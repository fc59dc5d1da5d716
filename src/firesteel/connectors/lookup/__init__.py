"""Lookup joins with tables of connectors: operators, lookups of rows by key, and caches of found rows."""
