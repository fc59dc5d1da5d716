"""${NAME} in scripts."""

from __future__ import annotations

import pytest

from firesteel.errors import ParseError
from firesteel.sql.variables import substitute


def test_names_are_replaced_but_not_in_comments() -> None:
    text = "-- ${A}\nSELECT 'file:///${B}/x' /* ${C} */, ${B} FROM `t${B}` // ${D}"
    expected = "-- ${A}\nSELECT 'file:///q/x' /* ${C} */, q FROM `tq` // ${D}"
    assert substitute(text, {"B": "q"}) == expected


def test_values_are_not_searched_again() -> None:
    assert substitute("${A}", {"A": "${A}"}) == "${A}"


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a\n '${NO}'", 2, 3), ("${NO}", 1, 1), ("${1 x}", 1, 1)]
)
def test_unknown_names_are_errors_at_their_place(text: str, line: int, column: int) -> None:
    with pytest.raises(ParseError) as found:
        substitute(text, {"YES": "1"})
    assert found.value.range is not None
    assert found.value.range.line_and_column(text) == (line, column)
