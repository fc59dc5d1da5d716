"""Loops over bytes and rows for which NumPy and Arrow have no word, compiled to machine code by Numba."""
