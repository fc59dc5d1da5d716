"""Hashes of few bits, so that keys share them."""

from __future__ import annotations

import numpy as np

from firesteel.kernels import hashing


def narrow(monkeypatch, bits: int) -> None:
    """Have first hashes of so many bits."""
    fold = hashing.fold_words

    def fold_words(word1, word2, hash1, hash2):
        fold(word1, word2, hash1, hash2)
        hash1 >>= np.uint64(64 - bits)

    monkeypatch.setattr(hashing, "fold_words", fold_words)
