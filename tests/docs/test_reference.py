"""docs/reference.md is what the tables of the code say."""

from __future__ import annotations

from tools.make_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make reference"


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
