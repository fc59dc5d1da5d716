"""Answers of `firesteel why`: how a row of a result came to be."""
