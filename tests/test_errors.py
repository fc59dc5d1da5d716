"""What errors say of themselves in a notebook."""

from __future__ import annotations

from firesteel.errors import FiresteelError, InternalError
from firesteel.sql.parser import parse_script


def raised(kind: type[FiresteelError] | None = None) -> FiresteelError:
    """Return an error that Firesteel raises, or of a class that is raised here."""
    try:
        if kind is not None:
            raise kind("words")
        parse_script("SELEC 1")
    except FiresteelError as error:
        return error
    raise AssertionError


def test_frames_of_firesteel_are_not_shown() -> None:
    lines = raised()._render_traceback_()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line for line in lines if "File " in line] == [lines[1]]
    assert "test_errors.py" in lines[1]
    assert "in raised" in lines[1]
    assert lines[2].strip() == 'parse_script("SELEC 1")'
    assert len(lines) <= 10
    assert lines[-1] != lines[2]


def test_a_bug_shows_all() -> None:
    lines = raised(InternalError)._render_traceback_()
    assert lines[-1] == "firesteel.errors.InternalError: words"


def test_an_error_that_was_not_raised_has_no_traceback() -> None:
    assert FiresteelError("words", hint="do")._render_traceback_() == ["FiresteelError: words", "hint: do"]
