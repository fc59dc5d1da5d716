"""Catalog of databases, tables, views and functions."""
