"""Signatures of scalar and aggregate functions: argument and result types by the rules of Flink."""
