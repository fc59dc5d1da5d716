"""Binding of names and types by Flink's rules, from the syntax tree to the logical plan."""
