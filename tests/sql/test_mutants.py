"""Mutated statements: what Flink's parser refuses is refused, with a place; nothing crashes.

mutants_accepted.txt holds those of the first 1500 mutants of seed 20260 that Flink 2.3's parser takes; it
refuses all others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import FiresteelError, ParseError
from firesteel.sql.parser import parse_script
from tests.sql.mutations import mutated

ACCEPTED = frozenset(
    (Path(__file__).parent / "mutants_accepted.txt").read_text(encoding="utf-8").splitlines()
)
STRICTER = (
    "id KEY NOT NULL",  # a type that no one has registered
    "INSERT INTO t (a b)",  # a column and its type, which Flink reads and then ignores
    "IF . a.b.c",  # four parts, which Flink refuses when it looks the name up
)


def outcome(text: str) -> FiresteelError | None:
    """The error that parsing gives."""
    try:
        parse_script(text)
    except FiresteelError as error:
        return error
    return None


def test_the_verdict_is_flinks() -> None:
    wrong = []
    for text in mutated(20260, 1500):
        error = outcome(text)
        lax = error is None and text not in ACCEPTED
        strict = isinstance(error, ParseError) and text in ACCEPTED
        # a string that goes on behind the first one Flink refuses too, when it validates
        known = any(part in text for part in STRICTER) or "continued on same line" in str(error)
        if lax or (strict and not known):
            wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize("seed", range(4))
def test_every_error_has_a_place(seed: int) -> None:
    for text in mutated(seed, 150):
        error = outcome(text)
        if error is not None:
            assert error.range is not None
            assert error.sql == text
            assert 0 <= error.range.start < error.range.end <= len(text)


@pytest.mark.parametrize("seed", range(3))
def test_cut_texts_do_not_crash(seed: int) -> None:
    for text in mutated(100 + seed, 30):
        for cut in range(0, len(text), 7):
            outcome(text[:cut])
            outcome(text[cut:])


def test_deep_nesting_is_an_error() -> None:
    error = outcome("SELECT " + "(" * 20000 + "1")
    assert error is not None
    assert "nested too deeply" in error.message
