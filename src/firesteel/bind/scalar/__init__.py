"""Scalar expressions: names and types by the rules of Flink."""
