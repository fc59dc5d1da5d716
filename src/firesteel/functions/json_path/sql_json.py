"""JSON_VALUE, JSON_QUERY, JSON_EXISTS, IS JSON and JSON() for single texts (Flink: SqlJsonUtils).

A path may start with its mode. In `lax $.a`, a missing value is empty. In `strict $.a`, the default mode, it
is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from firesteel.functions.json_path.document import (
    KeySet,
    at_any_depth,
    java_class,
    java_text,
    json_text,
    parse,
    scalar_text,
    well_formed,
)
from firesteel.functions.json_path.errors import InvalidPath, JsonError, PathFailure
from firesteel.functions.json_path.path_parser import compile_path
from firesteel.functions.json_path.tokens import Path

_SPEC = re.compile(r"\s*(strict|lax)\s+(.+)", re.IGNORECASE | re.DOTALL | re.ASCII)


class Document(NamedTuple):
    """Parsed text. `error` is the reason why it is not JSON, or None."""

    value: Any
    error: str | None


class Found(NamedTuple):
    """Result of a path.

    Attributes:
        value: The value that the path leads to, None for none.
        error: Reason why the path cannot be applied, or None.
        lax: Whether the mode of the path is lax.
    """

    value: Any
    error: str | None
    lax: bool = False


@dataclass(frozen=True)
class Behaviour:
    """Behaviour ON EMPTY or ON ERROR.

    Attributes:
        word: NULL, ERROR, DEFAULT, EMPTY ARRAY or EMPTY OBJECT.
        default: Value of DEFAULT.
        failure: Reason why Flink cannot return the value of DEFAULT, or None.
    """

    word: str = "NULL"
    default: Any = None
    failure: str | None = None

    def result(self, error: str) -> Any:
        """Return the value that the SQL function returns by this behaviour.

        Args:
            error: What went wrong, the message if the behaviour is ERROR.

        Raises:
            PathFailure: The behaviour is ERROR, or a DEFAULT that cannot be returned.
        """
        if self.word == "ERROR":
            raise PathFailure(error)
        if self.failure is not None:
            raise PathFailure(self.failure)
        return {"EMPTY ARRAY": [], "EMPTY OBJECT": {}}.get(self.word, self.default)


def document(text: str) -> Document:
    """Return the document of a text, or the reason why it is not JSON."""
    try:
        return Document(at_any_depth(lambda: parse(text)), None)
    except JsonError as error:
        return Document(None, str(error))


class _Spec(NamedTuple):
    """Parsed path and its mode, lax or strict.

    Attributes:
        lax: Whether the mode is lax.
        path: The path, None if the text is invalid.
        error: Reason why the text is no path, which ON ERROR handles; or None.
        failure: Reason why the path fails the job when it is first used, regardless of ON ERROR; or None.
    """

    lax: bool
    path: Path | None = None
    error: str | None = None
    failure: str | None = None


@lru_cache(maxsize=400)
def _spec(spec: str) -> _Spec:
    match = _SPEC.fullmatch(spec)
    lax = match is not None and match[1].lower() == "lax"
    text = spec if match is None else match[2]
    if not text:
        return _Spec(lax, error="path can not be null or empty")
    try:
        return _Spec(lax, compile_path(text))
    except InvalidPath:
        return _Spec(lax, error=_illegal(spec))
    except PathFailure as failure:
        return _Spec(lax, failure=str(failure))


def find(source: Document, spec: str) -> Found:
    """Apply a path, with or without a mode, to a document.

    Raises:
        PathFailure: The path fails the job in Flink.
    """
    lax, path, error, failure = _spec(spec)
    if source.error is not None:
        return Found(None, None, True) if lax else Found(None, source.error)
    if source.value is None:
        return Found(None, "json object can not be null")
    if failure is not None:
        raise PathFailure(failure)
    if path is None:
        return Found(None, error)
    try:
        value = path.evaluate(source.value, source.value, lax)
    except RecursionError:
        return at_any_depth(lambda: find(source, spec))
    except JsonError as wrong:
        return Found(None, _illegal(spec) if type(wrong) is InvalidPath else str(wrong))
    if value is None and not lax:
        return Found(None, "Strict jsonpath mode requires a non empty returned value, but is null")
    return Found(value, None, lax)


def _illegal(spec: str) -> str:
    return f"Illegal jsonpath spec ''{spec}'', format of the spec should be: ''<lax|strict> $'{{'expr'}}'''"


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, (list, dict, KeySet))


def json_exists(source: Document, spec: str, on_error: str) -> bool | None:
    """Return JSON_EXISTS of a document: whether the path leads to a value.

    Args:
        source: The document.
        spec: Path, with or without a mode.
        on_error: Result if the path cannot be applied: TRUE, FALSE, UNKNOWN (None), or ERROR: fail the job.

    Raises:
        PathFailure: The job fails.
    """
    found = find(source, spec)
    if found.error is None:
        return found.value is not None
    if on_error == "ERROR":
        raise PathFailure(found.error)
    return {"TRUE": True, "FALSE": False}.get(on_error)


def json_value(source: Document, spec: str, returning: str, on_empty: Behaviour, on_error: Behaviour) -> Any:
    """Return JSON_VALUE of a document, as str, bool, int or float by `returning`.

    Args:
        source: The document.
        spec: Path, with or without a mode.
        returning: VARCHAR, BOOLEAN, INTEGER or DOUBLE.
        on_empty: Behaviour ON EMPTY.
        on_error: Behaviour ON ERROR.

    Raises:
        PathFailure: The job fails.
    """
    found = find(source, spec)
    if found.error is not None:
        return on_error.result(found.error)
    if found.value is None or (found.lax and not _is_scalar(found.value)):
        return on_empty.result("Empty result of JSON_VALUE function is not allowed")
    if not _is_scalar(found.value):
        shown = java_text(found.value)
        return on_error.result(
            f"Strict jsonpath mode requires scalar value, and the actual value is: ''{shown}''"
        )
    return _returned(found.value, returning)


_CLASSES = {"BOOLEAN": "java.lang.Boolean", "INTEGER": "java.lang.Integer", "DOUBLE": "java.math.BigDecimal"}


def cannot_return(given: str, returning: str) -> str | None:
    """Return why a value of a Java class cannot be returned as a type, or None if it can."""
    wanted = _CLASSES.get(returning)
    return None if wanted in (None, given) else f"class {given} cannot be cast to class {wanted}"


def _returned(value: Any, returning: str) -> Any:
    if returning == "VARCHAR":
        return scalar_text(value)
    failure = cannot_return(java_class(value), returning)
    if failure is not None:
        raise PathFailure(f"{failure}: JSON_VALUE ... RETURNING {returning} does not convert what it finds")
    return float(value) if returning == "DOUBLE" else value


def json_query(
    source: Document, spec: str, wrapper: str, as_array: bool, on_empty: Behaviour, on_error: Behaviour
) -> str | list[str | None] | None:
    """Return JSON_QUERY of a document: an array or object as text, or an array's elements as texts.

    Args:
        source: The document.
        spec: Path, with or without a mode.
        wrapper: WITHOUT_ARRAY, WITH_CONDITIONAL_ARRAY or WITH_UNCONDITIONAL_ARRAY.
        as_array: Whether to return an array's elements.
        on_empty: Behaviour ON EMPTY.
        on_error: Behaviour ON ERROR.

    Raises:
        PathFailure: The job fails.
    """
    found = find(source, spec)
    if found.error is not None:
        return _rendered(on_error.result(found.error), as_array)
    value = found.value
    conditional = wrapper == "WITH_CONDITIONAL_ARRAY" and _is_scalar_or_object(value)
    if value is not None and (conditional or wrapper == "WITH_UNCONDITIONAL_ARRAY"):
        value = [value]
    if value is None or (found.lax and _is_scalar(value)):
        return _rendered(on_empty.result("Empty result of JSON_QUERY function is not allowed"), as_array)
    error = None
    if _is_scalar(value):
        shown = java_text(value)
        error = f"Strict jsonpath mode requires array or object value, and the actual value is: ''{shown}''"
    elif as_array and not isinstance(value, list):
        error = f"class {java_class(value)} cannot be cast to class java.util.List"
    if error is not None:
        value = on_error.result(error)
    return at_any_depth(lambda: _rendered(value, as_array))


def _is_scalar_or_object(value: Any) -> bool:
    return not isinstance(value, (list, KeySet))


def _rendered(value: Any, as_array: bool) -> str | list[str | None] | None:
    if value is None or not as_array:
        return None if value is None else json_text(value)
    return [
        None if each is None else scalar_text(each) if _is_scalar(each) else json_text(each) for each in value
    ]


def is_json(source: Document, kind: str) -> bool:
    """Return the result of IS JSON. `kind` is VALUE, SCALAR, OBJECT or ARRAY."""
    if source.error is not None:
        return False
    if kind == "VALUE":
        return True
    shape = (
        "OBJECT"
        if isinstance(source.value, dict)
        else "ARRAY"
        if isinstance(source.value, list)
        else "SCALAR"
    )
    return shape == kind


def json_document(text: str) -> str | None:
    """Return JSON(text): the text of the parsed document (`json_text`), None if the text has only blanks.

    Raises:
        PathFailure: The text is not JSON.
    """
    trimmed = text.strip("".join(map(chr, range(33))))
    if not trimmed:
        return None
    found = document(trimmed)
    if found.error is not None:
        raise PathFailure(f'Invalid JSON string in JSON(value) function: "{text}". Error: {found.error}')
    return well_formed(at_any_depth(lambda: json_text(found.value)))


def json_quoted(text: str) -> str:
    r"""Return JSON_QUOTE: a JSON string with escapes for all characters but ASCII.

    As in Flink, the text for a character beyond U+FFFF is wrong: an escape with its whole code, of five or
    six digits, and then the escape of its second surrogate. U+1F600 gives `\u1f600\ude00`.
    """
    letters = {char: f"\\{letter}" for letter, char in _ESCAPED.items()}
    parts = []
    for char in text:
        code = ord(char)
        if code < 128:
            parts.append(letters.get(char, char))
        else:
            parts.append(f"\\u{code:04x}")
            if code > 0xFFFF:
                parts.append(f"\\u{0xDC00 + (code & 0x3FF):04x}")
    return f'"{"".join(parts)}"'


_ESCAPE = re.compile(r"\\(.)(?:(?<=u)([0-9a-fA-F]{4}))?", re.DOTALL)
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def json_unquoted(text: str) -> str:
    """Return JSON_UNQUOTE: the value of a JSON string; other texts are unchanged.

    Raises:
        PathFailure: After the string's closing quote, the text has an incomplete Unicode escape. Flink fails,
            too.
    """
    if document(text).error is not None or text[0] != '"' or text[-1] != '"':
        return text
    inner = text[1:-1]
    legal = True

    def meant(match: re.Match[str]) -> str:
        nonlocal legal
        letter, digits = match[1], match[2]
        if letter == "u" and digits is None and len(inner) < match.end() + 4:
            raise PathFailure(f"begin {match.end()}, end {match.end() + 4}, length {len(inner)}")
        if letter == "u" and digits is not None:
            return chr(int(digits, 16))
        legal = legal and letter in _ESCAPED
        return _ESCAPED.get(letter, "")

    result = _ESCAPE.sub(meant, inner)
    return well_formed(result) if legal else text
