"""Errors of JSON texts and paths. ON ERROR handles all of them except PathFailure."""

from __future__ import annotations


class JsonError(Exception):
    """Text that is not JSON, or a path that cannot be applied to a document (JsonPathException)."""


class InvalidPath(JsonError):
    """Path that cannot be parsed, or a step that does not apply to its value (InvalidPathException)."""


class PathNotFound(InvalidPath):
    """Path that leads to no value (PathNotFoundException)."""


class PathFailure(Exception):
    """Error that fails the job in Flink, regardless of ON ERROR."""


def needs_json_smart(what: str) -> PathFailure:
    """Return the failure of a filter that uses `what`."""
    return PathFailure(
        f"{what} in the filter of a JSON path fails in Flink, which lacks the library for it (json-smart): "
        "compare with a text, a number, TRUE, FALSE or null"
    )
