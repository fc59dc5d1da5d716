"""Named workloads, run on Firesteel and on Flink side by side: python -m benchmarks --list."""
