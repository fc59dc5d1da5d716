"""Kernels that read text: lines, CSV records, dates and times."""
