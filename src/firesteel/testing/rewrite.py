"""Replacement of the expected rows in a file of tests by the actual rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from firesteel.durability import write_whole
from firesteel.testing.document import Node
from firesteel.testing.run import Outcome

_INDENT = 2


def rewritten(text: str, outcomes: Iterable[Outcome]) -> str:
    """Return the text of a file in which each expectation that is not met has the actual rows.

    All other text stays, with its comments.

    Args:
        text: The text of the file.
        outcomes: The outcomes of its tests.
    """
    edits = []
    for outcome in outcomes:
        failed = {id(each.expectation) for each in outcome.differences}
        for expectation, lines in outcome.answers:
            if id(expectation) in failed:
                edits.append(_edit(text, expectation.rows, expectation.key, lines))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def rewrite_file(path: Path, text: str, outcomes: Iterable[Outcome]) -> bool:
    """Write the rewritten text to the file, and return whether it has changed."""
    new = rewritten(text, outcomes)
    if new != text:
        write_whole(path, new)
    return new != text


def _edit(text: str, rows: Node, key: Node, lines: Sequence[str]) -> tuple[int, int, str]:
    """Return the range of a list in the text, and the list that replaces it."""
    start, end = rows.range.start, rows.range.end
    if not lines:
        return start, end, "[]" if text[start - 1 : start] in (" ", "\n") else " []"
    in_braces = _is_in_braces(text, key)
    if in_braces:
        return start, end, f"[{', '.join(lines)}]"
    if rows.kind == "list" and not rows.is_flow:
        margin = " " * rows.column
        return start, end, f"\n{margin}".join(f"- {line}" for line in lines)
    margin = " " * (key.column + _INDENT)
    while text[start - 1] == " ":
        start -= 1
    return start, end, "".join(f"\n{margin}- {line}" for line in lines)


def _is_in_braces(text: str, key: Node) -> bool:
    """Return whether a key is in a mapping in braces, so that its list must be in brackets."""
    line = text[text.rfind("\n", 0, key.range.start) + 1 : key.range.start]
    return bool(line.strip(" -"))
