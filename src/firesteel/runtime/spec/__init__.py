"""Serializable settings (specs) of operators, sources and sinks."""
