"""Text on its way to a terminal: what data holds must not act there, as control characters would."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_LINES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def escaped(text: str) -> str:
    r"""A cell with its control characters as `\n`, `\x1b`..."""
    return text if text.isprintable() else _CONTROL.sub(_escape, text)


def lines_escaped(text: str) -> str:
    """The same for whole lines, whose ends stay."""
    return _CONTROL_IN_LINES.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\x{ord(found[0]):02x}"
