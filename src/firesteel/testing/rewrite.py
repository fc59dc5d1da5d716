"""Replacement of the expected rows in a file of tests by the actual rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from firesteel.durability import write_whole
from firesteel.testing.document import Node
from firesteel.testing.run import Outcome

_INDENT = 2


def rewritten(text: str, outcomes: Iterable[Outcome]) -> str:
    """Return the text of a file of tests, with actual rows in place of expected rows that are not met.

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
    """Replace expected rows in the file as `rewritten` does, and return whether its text changes."""
    new = rewritten(text, outcomes)
    if new != text:
        write_whole(path, new)
    return new != text


def _edit(text: str, rows: Node, key: Node, lines: Sequence[str]) -> tuple[int, int, str]:
    """Return (start, end, new): the range of expected rows in the text, and the text that replaces it.

    Args:
        text: The text of the file.
        rows: The list of the expected rows.
        key: Its key in the file, `rows` or `changes`.
        lines: The actual rows, each as YAML in one line.
    """
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
    """Return whether a key is in a mapping in braces, where its list must be in brackets: `{rows: [..]}`.

    That is assumed if other characters than blanks and `-` stand before the key in its line.
    """
    line = text[text.rfind("\n", 0, key.range.start) + 1 : key.range.start]
    return bool(line.strip(" -"))
