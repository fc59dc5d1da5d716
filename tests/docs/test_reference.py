"""docs/reference.md is what the tables of the code say."""

from __future__ import annotations

from tools.make_reference import PAGE, page

from tests.goldens import hold_file


def test_the_page_is_up_to_date() -> None:
    hold_file(PAGE, page())


def test_it_names_what_there_is() -> None:
    text = page()
    for name in (
        "`table.exec.state.ttl`",
        "`filesystem`",
        "`canal-json.ignore-parse-errors`",
        "`SUBSTRING`",
        "`COUNT`",
    ):
        assert name in text
