"""The jobs of this process: their statements, states and counters."""
