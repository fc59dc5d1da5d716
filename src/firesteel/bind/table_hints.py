"""Table hints: OPTIONS for a table that is read or written, STATE_TTL, and join hints.

Flink: CatalogSourceTable, FlinkHints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.bind.names import BindContext
from firesteel.bind.scalar.objects import in_java_order
from firesteel.catalog.schema import Table, View
from firesteel.config.option import parse_duration
from firesteel.errors import FiresteelError, SourceRange, ValidationError
from firesteel.plan.nodes.join.join_type import SIDES, JoinHints
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Aliased, Hint, Join, TableName
from firesteel.sql.words import words
from firesteel.types.sql import quoted_name

ENABLED = "table.dynamic-table-options.enabled"
_KNOWN = words("OPTIONS STATE_TTL LOOKUP BROADCAST SHUFFLE_HASH SHUFFLE_MERGE NEST_LOOP MULTI_JOIN")
Pairs = Sequence[tuple[str, str]]


def options_of(hints: Sequence[Hint]) -> Pairs | None:
    """Return the options of the OPTIONS hints after a table's name, None if there is no such hint."""
    found = [h for h in hints if h.name.name.upper() == "OPTIONS"]
    if not found:
        return None
    return [pair for hint in found for pair in hint.options]


def check_hints(hints: Sequence[Hint]) -> None:
    """Raise ValidationError for a hint that Flink does not know."""
    for hint in hints:
        name = hint.name.name.upper()
        if name not in _KNOWN:
            raise ValidationError(
                f"Hint: {name} should be registered in the HintStrategyTable", range=hint.range
            )


def state_ttl(hints: Sequence[Hint], source: syntax.Node | None) -> str:
    """Return how long an aggregate over FROM keeps the state of a key, as a STATE_TTL hint writes it ("1d").

    Return "" if no hint names the only table of FROM. If FROM is a join, the hint sets the time for the
    inputs of the join, and the result is "".

    Raises:
        ValidationError: The time in a hint is no duration.
    """
    found = ""
    for hint in hints:
        for table, time in hint.options if hint.name.name.upper() == "STATE_TTL" else ():
            _check_duration(time, hint)
            found = time if _tables(source) == [table] else found
    return found


_STRATEGIES = ("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP")


def check_tables(hints: Sequence[Hint], source: syntax.Node | None) -> None:
    """Raise ValidationError for a hint about a table that is not in FROM."""
    known = _tables(source)
    for hint in hints:
        name = hint.name.name.upper()
        if name not in (*_STRATEGIES, "STATE_TTL", "LOOKUP"):
            continue
        for table in _hinted_tables(hint):
            if table not in known:
                raise ValidationError(
                    "The options of following hints cannot match the name of input tables or views: \n"
                    f"`{table}` in `{name}`",
                    range=hint.range,
                )


def _hinted_tables(hint: Hint) -> list[str]:
    if hint.name.name.upper() == "LOOKUP":
        return [value for key, value in hint.options if key == "table"]
    return [key or value for key, value in hint.options]


def _tables(node: syntax.Node | None) -> list[str]:
    """Return the names of the entries of FROM."""
    if isinstance(node, Join):
        return [*_tables(node.left), *_tables(node.right)]
    if isinstance(node, Aliased):
        return [node.alias.name]
    return [node.path[-1]] if isinstance(node, TableName) else []


def join_hints(hints: Sequence[Hint], left: Sequence[str], right: Sequence[str]) -> JoinHints:
    """Return the hints that apply to a join.

    Args:
        hints: Hints after SELECT.
        left: Names by which hints refer to the left side.
        right: Names of the right side.
    """
    sides = (left, right)
    ttl = ["", ""]
    strategies = []
    for hint in hints:
        name = hint.name.name.upper()
        if name == "STATE_TTL":
            for table, time in hint.options:
                _check_duration(time, hint)
                for port, names in enumerate(sides):
                    ttl[port] = time if table in names else ttl[port]
        elif name in _STRATEGIES:
            found = [
                s for s, names in zip(SIDES, sides, strict=True) if set(_hinted_tables(hint)) & set(names)
            ]
            strategies += [(name, tuple(found[:1]))] if found else []
    return JoinHints((ttl[0], ttl[1]), tuple(strategies), _is_multi_join(hints, left, right))


def _is_multi_join(hints: Sequence[Hint], left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether a MULTI_JOIN hint names both sides. A side that is a join itself has no name."""
    named = [set(_hinted_tables(hint)) for hint in hints if hint.name.name.upper() == "MULTI_JOIN"]
    return any(tables & set(right) and (not left or tables & set(left)) for tables in named)


def _check_duration(text: str, hint: Hint) -> None:
    try:
        parse_duration(text)
    except ValueError as error:
        raise ValidationError(
            f"Invalid STATE_TTL hint, the duration '{text}' cannot be read: {error}", range=hint.range
        ) from None


def readable(entry: Table, options: Pairs, context: BindContext, place: SourceRange) -> Table:
    """Return a table of FROM, changed by the options of its OPTIONS hint.

    Raises:
        ValidationError: The hint has no options or one without a key, `table.dynamic-table-options.enabled`
            is false, or the connector refuses the options.
    """
    _check_pairs(options, place)
    if not context.options.get(ENABLED, True):
        raise ValidationError(
            f"The 'OPTIONS' hint is allowed only when the config option '{ENABLED}' is set to true.",
            range=place,
            hint=f"SET '{ENABLED}' = 'true'",
        )
    return hinted(entry, options, context, place)


def hinted(entry: Table, options: Pairs, context: BindContext, place: SourceRange) -> Table:
    """Return a table, changed by the options of its OPTIONS hint.

    Raises:
        ValidationError: The hint has no options or one without a key, or the connector refuses the options.
    """
    _check_pairs(options, place)
    given = dict(options)
    shown = tuple((key, given[key]) for key in in_java_order(list(given)))
    table = replace(
        entry,
        options=tuple({**dict(entry.options), **given}.items()),
        hints=shown,
        traits=None,
        option_places={key: place for key, place in entry.option_places.items() if key not in given},
    )
    try:
        return table if context.validate is None else context.validate(table)
    except FiresteelError as error:
        error.range = error.range or place
        raise


def _check_pairs(options: Pairs, place: SourceRange) -> None:
    if not options or any(not key for key, _ in options):
        raise ValidationError("Hint [OPTIONS] only support non empty key value options", range=place)


def refuse_hints(view: View, hints: Sequence[Hint], place: SourceRange) -> None:
    """Raise ValidationError for an OPTIONS hint on a view."""
    if options_of(hints) is not None:
        path = ".".join(map(quoted_name, view.path))
        raise ValidationError(
            f"View '{path}' cannot be enriched with new options. Hints can only be applied to tables.",
            range=place,
        )
