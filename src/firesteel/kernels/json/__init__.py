"""Kernels that scan JSON."""
