"""Plan nodes: scans, literal rows and sinks."""
