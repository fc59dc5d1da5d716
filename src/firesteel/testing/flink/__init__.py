"""Comparison of the answers of Flink and Firesteel to a script."""
