"""The pages are checked for words that readers stumble over, their code is not."""

from __future__ import annotations

from tools.check_words import findings


def test_phrases_are_found_over_line_breaks_and_outside_of_code() -> None:
    text = (
        "A job\n  is\ntold. It runs for ever, for every row.\n`for ever`\n```\nanew\n```\nIt was not told.\n"
    )
    assert [(line, phrase) for line, phrase, _ in findings(text)] == [(2, "is told"), (3, "for ever")]
