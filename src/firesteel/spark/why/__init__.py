"""Explanation of a row of a result: run past micro-batches again, and trace the rows from which it comes."""
