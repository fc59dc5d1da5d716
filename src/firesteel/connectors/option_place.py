"""Positions of errors about a table's options: they point into the statement that set the option.

Options are checked when a table is used, not when it is created. So an error in the query that uses the table
points at the option in the earlier CREATE TABLE or ALTER TABLE.
"""

from __future__ import annotations

import re

from firesteel.catalog.schema import Place, Table
from firesteel.errors import FiresteelError

_WORD = re.compile(r"[\w.#-]*[\w#-]")
"""A word that may be an option's key. The dot at the end of a sentence is not part of it."""


def locate(error: FiresteelError, table: Table, *, by_words: bool = False) -> None:
    """Point an error at the option that it is about, unless the error has a position already.

    Args:
        error: The error to change. The function sets its position: `range` and `sql`.
        table: The table whose options are wrong.
        by_words: Whether to search the text of the error if `error.option` gives no position. The error then
            points at the first option that its text names. If the text names no option, the error points at
            the table's name in CREATE TABLE. It gets no position if the query sets options of the table in a
            hint, as the wrong option may be there. Set this only if the table's definition is wrong.
    """
    if error.range is not None:
        return
    place = _place_of(error.option, table)
    if place is None and by_words:
        place = _place_of(_key_in(error, table), table) or (None if table.hints else table.place)
    if place is not None:
        error.range, error.sql = place.range, place.sql


def _place_of(key: str | None, table: Table) -> Place | None:
    """Return the position of an option, None if there is none or more than one.

    A format's error may name the option without its prefix: `timestamp-format.standard` instead of
    `value.json.timestamp-format.standard`. So `key` may also be the end of an option's full key.
    """
    places = table.option_places
    if key is None or key in places:
        return None if key is None else places[key]
    found = [place for full, place in places.items() if full.endswith(f".{key}")]
    return found[0] if len(found) == 1 else None


def _key_in(error: FiresteelError, table: Table) -> str | None:
    """Return the first word in an error's text that names an option of the table, None if no word does.

    Words without `.` and `-`, such as `path`, are skipped, because they may be names of columns instead.
    """
    words = _WORD.findall(f"{error.message}\n{error.hint or ''}")
    keys = (word for word in words if "." in word or "-" in word)
    return next((key for key in keys if _place_of(key, table) is not None), None)
