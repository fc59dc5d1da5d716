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
