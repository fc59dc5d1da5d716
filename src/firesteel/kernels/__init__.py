"""Loops over bytes and rows that NumPy and Arrow cannot express, compiled to machine code by Numba."""
