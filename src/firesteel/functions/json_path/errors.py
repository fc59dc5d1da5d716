"""What goes wrong with a JSON text or a path. ON ERROR takes all of these but PathFailure."""

from __future__ import annotations


class JsonError(Exception):
    """A text is no JSON, or a path cannot be applied to a document (JsonPathException)."""


class InvalidPath(JsonError):
    """A path cannot be parsed, or a step cannot be applied to what it met (InvalidPathException)."""


class PathNotFound(InvalidPath):
    """A path leads nowhere (PathNotFoundException)."""


class PathFailure(Exception):
    """What ends the job in Flink whatever ON ERROR says."""


def needs_json_smart(what: str) -> PathFailure:
    """The failure of a filter that uses `what`."""
    return PathFailure(
        f"{what} in the filter of a JSON path fails in Flink, which lacks the library for it (json-smart): "
        "compare with a text, a number, TRUE, FALSE or null"
    )
