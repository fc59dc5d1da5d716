"""Highlighting: classes of the pieces, which together are the text."""

from __future__ import annotations

import pytest

from firesteel.cli.shell.highlighting import lines, pieces

SCRIPT = """\
-- a comment
SELECT UPPER(name), 'it''s' || x'00', 1.5e3 /* two
lines */ FROM `order` AS o; // another
"""


def test_the_classes() -> None:
    found = [(kind, text) for kind, text in pieces(SCRIPT) if kind]
    assert found[0] == ("comment", "-- a comment\n")
    by_text = {text: kind for kind, text in found}
    wanted = {
        "SELECT": "keyword",
        "UPPER": "function",
        "name": "name",
        "'it''s'": "string",
        "x'00'": "string",
        "1.5e3": "number",
        "`order`": "name",
        "o": "name",
        ";": "symbol",
    }
    assert {text: by_text.get(text) for text in wanted} == wanted


@pytest.mark.parametrize(
    "text", [SCRIPT, "", "\n\n", "SELECT 'open", "`open", "/* open\nlines", 'a & " b', "é中😀"]
)
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(piece for _, piece in pieces(text)) == text
    assert "\n".join("".join(piece for _, piece in line) for line in lines(text)) == text


@pytest.mark.parametrize(
    ("text", "kind"), [("'a", "string"), ("`a", "name"), ("/* a", "comment"), ("&", "wrong")]
)
def test_what_is_not_closed(text: str, kind: str) -> None:
    assert next(iter(pieces(text)))[0] == kind
