"""The jobs of this process: what they run, their states and counters."""
