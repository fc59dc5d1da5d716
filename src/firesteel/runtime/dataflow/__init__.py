"""The operator contract, chains, ports, packets, sequence and watermarks."""
