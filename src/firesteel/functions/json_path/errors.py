"""Errors of JSON texts and paths. ON ERROR handles all of them except PathFailure."""

from __future__ import annotations


class JsonError(Exception):
    """A text that is not JSON, or a path that cannot be applied to a document (JsonPathException)."""


class InvalidPath(JsonError):
    """A path that cannot be parsed, or a step that does not apply to its value (InvalidPathException)."""


class PathNotFound(InvalidPath):
    """A path that leads to no value (PathNotFoundException)."""


class PathFailure(Exception):
    """An error that fails the job in Flink, regardless of ON ERROR."""


def needs_json_smart(what: str) -> PathFailure:
    """Return the error for a filter that uses `what`, for which Flink lacks the library json-smart."""
    return PathFailure(
        f"{what} in the filter of a JSON path fails in Flink, which lacks the library for it (json-smart): "
        "compare with a text, a number, TRUE, FALSE or null"
    )
