"""Types as they print themselves: read back, they are the same."""

from __future__ import annotations

import pytest

from firesteel.sql.lexer import Kind, tokens
from firesteel.types.sql import INT, STRING, quoted_name, row, structured


@pytest.mark.parametrize("name", ["a", "a`b", "`", "``", "a` INT, `b"])
def test_a_field_of_any_name_is_read_back(name: str) -> None:
    for kind in (row((name, "z"), (INT, STRING)), structured("c", (name, "z"), (INT, STRING))):
        found = [token.text for token in tokens(str(kind)) if token.kind is Kind.QUOTED]
        assert found == [name, "z"]


def test_a_name_in_backticks() -> None:
    assert quoted_name("a`b") == "`a``b`"
