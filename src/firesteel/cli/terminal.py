"""Escapes for text that is printed on a terminal, so that control characters in data have no effect."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_LINES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def escaped(text: str) -> str:
    r"""Return the text of a cell with its control characters as `\n`, `\x1b`..."""
    return text if text.isprintable() else _CONTROL.sub(_escape, text)


def lines_escaped(text: str) -> str:
    """Return whole lines with their control characters as escapes, except the ends of lines."""
    return _CONTROL_IN_LINES.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\x{ord(found[0]):02x}"
