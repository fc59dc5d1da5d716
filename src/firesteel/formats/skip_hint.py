"""Hint of the error for a message that a format cannot read: how to leave it out, or keep it elsewhere."""

from __future__ import annotations

from firesteel.formats.base import Format, MessageError

_OPTION = "ignore-parse-errors"
_KEPT = "; SET 'firesteel.dead-letters.table' = '<a table>' keeps them in a table"
_CONTROL = (
    ", and with them each message that is damaged or cut off, without a word; or have the tool not send "
    "them to the topic (docs/guide/kafka.md: messages without rows)"
)


def skip_hint(format: Format, prefix: str, error: MessageError) -> str | None:
    """Return a hint with the option that skips bad messages, or None if the format has no such option.

    Args:
        format: Format of the message.
        prefix: Prefix of the format's options in the table, such as `key.`.
        error: The error.
    """
    if not any(option.key == _OPTION for option in format.options):
        return None
    skips = f"'{prefix}{format.name}.{_OPTION}' = 'true' leaves such messages out"
    return skips + (_CONTROL if error.is_control else _KEPT)
