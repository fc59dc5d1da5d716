"""Operators, their state, and the flow of data between them. Imports neither Spark nor the planner."""
