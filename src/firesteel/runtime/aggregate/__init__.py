"""Aggregates.

- functions: declarations of the aggregate functions.
- row_engine: the generated row handler, which processes rows one by one.
- scan: results after each row of a batch, computed in columns.
- reduce: results after each bundle, computed in columns.
"""
