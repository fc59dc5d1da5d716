"""Put secrets back into a kept script, which has asterisks for them, from tables of another script."""

from __future__ import annotations

from firesteel.sensitive import is_hidden
from firesteel.sql.parser import parse_script
from firesteel.sql.statements import CreateTable


def with_secrets(kept: str, new: str) -> str:
    """Return a kept script with secrets from the tables of the same name in another script.

    Args:
        kept: The script, with asterisks for secrets (spark/checkpoint/upgrade/kept_script.py).
        new: The other script. A table or an option that it does not have keeps its asterisks.
    """
    known = {(each.table.parts, key): value for each in _tables(new) for key, value in each.options}
    places = [
        (place, key, known[each.table.parts, key])
        for each in _tables(kept)
        for (key, value), place in zip(each.options, each.option_ranges, strict=True)
        if _is_starred(key, value, known.get((each.table.parts, key)))
    ]
    found = kept
    for place, key, value in sorted(places, key=lambda each: -each[0].start):
        found = f"{found[: place.start]}{_option(key, value)}{found[place.end :]}"
    return found


def _is_starred(key: str, kept: str, new: str | None) -> bool:
    """Return whether a kept value is only asterisks that stand for the secret `new`. False without `new`.

    A kept script has one asterisk for each character of a secret, so `kept` must be as long as `new`. Any
    length is accepted if the option's key, or a password in `new`, shows that it is secret (`is_hidden`).

    Args:
        key: Key of the option.
        kept: Its value in the kept script.
        new: Its value in the other script, None if that script does not have the option.
    """
    return new is not None and not kept.strip("*") and (is_hidden(key, new) or len(kept) == len(new))


def _tables(text: str) -> list[CreateTable]:
    return [each for each in parse_script(text) if isinstance(each, CreateTable)]


def _option(key: str, value: str) -> str:
    pair = (each.replace("'", "''") for each in (key, value))
    return " = ".join(f"'{each}'" for each in pair)
