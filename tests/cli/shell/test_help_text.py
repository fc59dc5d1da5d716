"""The shell's help about itself, on terminals of different widths."""

from __future__ import annotations

import pytest

from firesteel.cli.shell.help_text import overview


@pytest.mark.parametrize("width", [40, 60, 79, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = overview(width).splitlines()
    assert max(map(len, lines)) <= width
    assert "".join(lines).count("how a row of") == 1


def test_meanings_stand_beside_the_statements_on_a_wide_terminal_and_else_below() -> None:
    assert "  SOURCE file                           run the statements of a file\n" in overview(80)
    assert "'CHANGELOG' or 'TABLE'\n                                        how results" in overview(80)
    assert "  SOURCE file\n      run the statements of a file\n" in overview(79)
