"""Numbers with their nouns: `1 row`, `2 rows`, `1,000 rows`."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number and its noun, which is in the plural if the number is not 1.

    Args:
        number: The number.
        noun: The noun in the singular. Words may stand before it: `late row`.
        plural: The plural, if it is not the noun with an `s`.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def amount(count: float) -> str:
    """Return a count in few characters: 950, 12.3K, 4.5M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("K", 1e3)):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return f"{count:.0f}"


def amount_of(count: float, noun: str, plural: str | None = None) -> str:
    """Return a count in few characters with its noun: 1 row, 12.3K rows."""
    return f"{amount(count)} {noun if count == 1 else plural or f'{noun}s'}"
