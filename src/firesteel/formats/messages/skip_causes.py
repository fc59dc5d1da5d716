"""Causes of messages that a format skips because of `ignore-parse-errors`, as metrics name them."""

from __future__ import annotations

import pyarrow as pa

from firesteel.formats.messages.control_messages import ControlMessage
from firesteel.formats.messages.json_limits import BadMessage

CONTROL_MESSAGE = "control_message"
"""A valid message of a CDC tool that is no change of a row."""
DAMAGED_MESSAGE = "damaged_message"
"""A message that is cut off, no valid text of its format, or without a member that the format needs."""
INVALID_VALUE = "invalid_value"
"""A message with a value that its column cannot hold."""
NO_ROW = "no_row"
"""A message that caused no error, but from which the format reads no row although it expects one."""


def cause_of(error: Exception | None) -> str:
    """Return the cause for the error of a skipped message; None stands for a message without a row.

    An error that no format expects is named by its class.
    """
    if error is None:
        return NO_ROW
    if isinstance(error, ControlMessage):
        return CONTROL_MESSAGE
    if isinstance(error, BadMessage):
        return DAMAGED_MESSAGE
    if isinstance(error, (pa.ArrowException, ValueError, TypeError, ArithmeticError)):
        return INVALID_VALUE
    return type(error).__name__
