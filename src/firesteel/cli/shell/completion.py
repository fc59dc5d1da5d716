"""Completion in the shell: words that can be typed at the cursor, each with a description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firesteel.cli.help_pages import pages
from firesteel.cli.shell import keywords
from firesteel.cli.shell.statement_before import Typed, options_given, tables_read, typed
from firesteel.session.context import Environment
from firesteel.session.vocabulary import names
from firesteel.session.vocabulary.functions import functions
from firesteel.session.vocabulary.options import described, settings, table_options, values_of
from firesteel.sql.lexer import Kind

_OPERANDS = (Kind.QUOTED, Kind.STRING, Kind.NUMBER, Kind.HEX)
Found = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Candidate:
    """A word to insert at the cursor.

    Attributes:
        text: Replacement of the text from `start` to the cursor.
        start: Offset in the text at which the word to replace begins.
        meta: Description: a type, a signature, or the meaning of an option.
    """

    text: str
    start: int
    meta: str = ""


def complete(text: str, cursor: int, environment: Environment) -> list[Candidate]:
    """Return the words that can follow at the cursor, the most likely ones first.

    Args:
        text: Typed text of one or more statements.
        cursor: Offset of the cursor.
        environment: The session, for tables, columns, functions and options.
    """
    statement = typed(text, cursor)
    if statement is None:
        return []
    closes = text[cursor : cursor + 1] == statement.quote
    found: dict[str, Candidate] = {}
    for word, meta in _words(statement, environment):
        if not _fits(word, statement.prefix):
            continue
        shown = word if statement.quote else _as_typed(word, statement.prefix)
        if statement.quote == "`":
            shown = shown.strip("`")
        ending = "" if closes or not statement.quote else statement.quote
        found.setdefault(shown.lower(), Candidate(shown + ending, statement.start, meta))
    return _with_call(list(found.values()), statement, environment)


def _with_call(found: list[Candidate], statement: Typed, environment: Environment) -> list[Candidate]:
    """Return the candidates; if the only one is a function whose name is typed completely, add `NAME(`.

    The line editor shows no menu for a single candidate that adds nothing to the typed text. With the second
    candidate, the editor shows the menu, and in it the signature of the function.
    """
    if len(found) != 1 or statement.quote or found[0].text.lower() != statement.prefix.lower():
        return found
    (typed_name,) = found
    known = {name.lower(): meta for name, meta in functions(environment).items()}
    if known.get(typed_name.text.lower()) != typed_name.meta:
        return found
    return [typed_name, Candidate(f"{typed_name.text}(", typed_name.start, typed_name.meta)]


def _fits(word: str, prefix: str) -> bool:
    """Return whether a word begins with the typed text, in any case.

    From two typed letters on, the text may also follow a dot in the word, as in keys of options.
    """
    low, begun = word.lower().strip("`"), prefix.lower()
    return low.startswith(begun) or (len(begun) > 1 and f".{begun}" in low)


def _as_typed(word: str, prefix: str) -> str:
    """Return the word. If it is in upper case and the typed text in lower case, return it in lower case."""
    return word.lower() if word.isupper() and prefix and prefix == prefix.lower() else word


_WINDOW_FUNCTIONS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_WINDOW_COLUMNS = [(name, "of the window") for name in ("window_start", "window_end", "window_time")]


def _words(statement: Typed, environment: Environment) -> Iterator[tuple[str, str]]:
    if statement.quote == "'":
        yield from _in_string(statement, environment)
    elif statement.word() == ".":
        yield from _behind_dot(statement, environment)
    elif not statement.words:
        yield from keywords.STATEMENTS
    elif statement.first[0] in ("HELP", "SOURCE"):
        yield from ((page, "page") for page in pages() if statement.first[0] == "HELP")
    elif _wants_table(statement):
        yield from names.tables(environment)
        yield from names.catalogs(environment)
        if statement.word() in ("FROM", "JOIN", ","):
            yield from keywords.BEFORE_TABLES
    elif _begins(statement):
        yield from _following(statement)
    elif statement.first[0] == "WHY" and statement.clause in ("", "FROM"):
        yield from keywords.IN_WHY
    elif statement.clause:
        yield from _in_query(statement, environment)
    else:
        yield from keywords.DEFINITIONS


def _begins(statement: Typed) -> bool:
    """Return whether the candidates at the cursor are those of `_following`, such as TABLES after SHOW.

    The first word of the statement must be a key of keywords.FOLLOWING, and the cursor must be behind the
    first or the second word. In an EXPLAIN statement, the cursor must be behind EXPLAIN or behind a detail
    such as CHANGELOG_MODE, because the explained statement begins there.
    """
    first = statement.first[0]
    if first == "EXPLAIN":
        return not statement.clause and (len(statement.words) == 1 or statement.word() in keywords.DETAILS)
    return first in keywords.FOLLOWING and len(statement.words) <= 2


def _following(statement: Typed) -> Iterator[tuple[str, str]]:
    """Yield the keywords that may follow the first words of a statement, such as TABLES after SHOW."""
    behind = " ".join(token.word for token in statement.words[1:] if token.word not in keywords.DETAILS)
    for words in keywords.FOLLOWING[statement.first[0]]:
        if not behind or words.startswith(f"{behind} "):
            yield words[len(behind) :].lstrip(), ""


def _wants_table(statement: Typed) -> bool:
    word = statement.word()
    if statement.wants_table:
        return True
    if statement.first[0] in ("DESCRIBE", "DESC"):
        return len(statement.words) == 1 or word in ("TABLE", "EXTENDED")
    return statement.first[0] in ("DROP", "ALTER", "SHOW", "ANALYZE") and word in ("TABLE", "VIEW", "EXISTS")


def _behind_dot(statement: Typed, environment: Environment) -> Found:
    qualifier = statement.words[-2].text if len(statement.words) > 1 else ""
    path = tables_read(statement).get(qualifier)
    if path is not None and (columns := names.columns(environment, path)):
        return columns
    parts = [qualifier]
    if statement.word(3) == "." and len(statement.words) > 3:
        parts.insert(0, statement.words[-4].text)
    found = names.tables(environment, tuple(parts))
    return found or (names.databases(environment, qualifier) if len(parts) == 1 else [])


def _in_query(statement: Typed, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield candidates within a clause of a query, such as WHERE, each with its description.

    After an operand, such as a column, these are keywords such as AND. Elsewhere, these are columns, tables,
    functions, and keywords with which an operand can begin, such as CASE WHEN.
    """
    last = statement.words[-1]
    is_operand = last.kind in _OPERANDS or last.text == ")" or _is_name(last.word, last.kind)
    if is_operand:
        yield from keywords.BEHIND_OPERANDS
        return
    read = tables_read(statement)
    for path in read.values():
        yield from names.columns(environment, path)
    if _WINDOW_FUNCTIONS.intersection(token.word for token in (*statement.words, *statement.rest)):
        yield from _WINDOW_COLUMNS
    yield from ((names.quoted(name), f"table {'.'.join(path)}") for name, path in read.items())
    yield from sorted(functions(environment).items())
    yield from keywords.BEFORE_OPERANDS


def _is_name(word: str, kind: Kind) -> bool:
    return kind is Kind.WORD and word not in keywords.OPERATORS


def _in_string(statement: Typed, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield candidates within a string: keys and values of options, and ids of jobs."""
    begins = statement.first[0]
    is_value = statement.word() == "="
    key = statement.words[-2].text if is_value and len(statement.words) > 1 else ""
    if begins in ("SET", "RESET"):
        known = settings()
        if is_value:
            yield from ((value, "") for value in values_of(key, known.get(key)))
        else:
            yield from ((name, described(option)) for name, option in known.items())
    elif "JOB" in statement.first:
        yield from names.jobs(has_ended=begins == "WHY")
    elif begins in ("CREATE", "ALTER", "REPLACE") or statement.word() in ("(", ","):
        yield from _table_options(statement, key)


def _table_options(statement: Typed, key: str) -> Iterator[tuple[str, str]]:
    given = options_given(statement)
    if "connector" not in given and not any(token.word == "WITH" for token in statement.words):
        return
    known = table_options(given)
    if key:
        yield from ((value, "") for value in values_of(key, known.get(key)))
        return
    missing = [name for name in known if name not in given]
    for name in sorted(missing, key=lambda name: not known[name].required):
        yield name, described(known[name])
