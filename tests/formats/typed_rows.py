"""Random types and rows of them, for formats that carry many."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from firesteel.changelog import KIND, field
from firesteel.types import sql
from firesteel.types.arrow import KEY, VALUE, to_arrow
from firesteel.types.sql import SqlType, TypeRoot

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
_MICROS = datetime(1900, 1, 1), datetime(2200, 1, 1)
_INTEGERS = {TypeRoot.TINYINT: 8, TypeRoot.SMALLINT: 16, TypeRoot.INTEGER: 32, TypeRoot.BIGINT: 64}

FLAT = (
    sql.BOOLEAN, sql.TINYINT, sql.SMALLINT, sql.INT, sql.BIGINT, sql.FLOAT, sql.DOUBLE, sql.STRING, sql.BYTES,
    sql.DATE, sql.decimal(5, 1), sql.decimal(12, 2), sql.decimal(30, 10),
)  # fmt: skip


def without_order(value: Any) -> Any:
    """A table's rows with the entries of maps by key, for formats that put them into one of Java's."""
    if isinstance(value, pa.Table):
        return without_order(value.to_pylist())
    if isinstance(value, dict):
        return {name: without_order(one) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    of_map = all(isinstance(one, dict) and set(one) == {KEY, VALUE} for one in value)
    return [without_order(one) for one in (sorted(value, key=lambda one: one[KEY]) if of_map else value)]


def nested(flat: st.SearchStrategy[SqlType]) -> st.SearchStrategy[SqlType]:
    """Types and lists, maps and rows of them."""
    return st.recursive(
        flat,
        lambda inner: st.one_of(
            inner.map(sql.array),
            inner.map(lambda each: sql.map_of(sql.STRING.with_nullable(False), each)),
            st.lists(inner, min_size=1, max_size=3).map(
                lambda kinds: sql.row(tuple(f"x{i}" for i in range(len(kinds))), tuple(kinds))
            ),
        ),
        max_leaves=4,
    )


def values(kind: SqlType) -> st.SearchStrategy[Any]:
    """Values of a type, as Arrow takes them, NULL among them where it may be."""
    made = _present(kind)
    return st.none() | made if kind.nullable else made


def _present(kind: SqlType) -> st.SearchStrategy[Any]:
    root = kind.root
    if root in _INTEGERS:
        bits = _INTEGERS[root] - 1
        return st.integers(-(1 << bits), (1 << bits) - 1)
    if root is TypeRoot.DECIMAL:
        assert kind.precision is not None
        most = 10**kind.precision - 1
        # made from text: arithmetic would round to the 28 digits of Python's context
        return st.integers(-most, most).map(lambda digits: Decimal(f"{digits}E-{kind.scale or 0}"))
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        step = 10 ** (6 - min(kind.precision or 0, 6))
        zone = timezone.utc if root is TypeRoot.TIMESTAMP_LTZ else None
        moments = st.datetimes(*_MICROS)
        return moments.map(lambda t: t.replace(microsecond=t.microsecond // step * step, tzinfo=zone))
    if root is TypeRoot.TIME:
        return st.times().map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000))
    if root is TypeRoot.ARRAY:
        return st.lists(values(kind.children[0]), max_size=3)
    if root is TypeRoot.MAP:
        entries = st.dictionaries(_present(kind.children[0]), values(kind.children[1]), max_size=3)
        return entries.map(lambda found: [{KEY: key, VALUE: value} for key, value in found.items()])
    if root is TypeRoot.ROW:
        return st.fixed_dictionaries(
            {name: values(child) for name, child in zip(kind.names, kind.children, strict=True)}
        )
    return _SIMPLE[root]


_SIMPLE: dict[TypeRoot, st.SearchStrategy[Any]] = {
    TypeRoot.BOOLEAN: st.booleans(),
    TypeRoot.FLOAT: st.floats(width=32, allow_nan=False),
    TypeRoot.DOUBLE: st.floats(allow_nan=False),
    TypeRoot.VARCHAR: TEXTS,
    TypeRoot.VARBINARY: st.binary(max_size=8),
    TypeRoot.DATE: st.dates(date(1900, 1, 1), date(2200, 1, 1)),
}


@st.composite
def tables(draw: st.DrawFn, types: st.SearchStrategy[SqlType]) -> tuple[tuple[SqlType, ...], pa.Table]:
    """Types of columns, and a table of inserts with them."""
    kinds = tuple(draw(st.lists(types, min_size=1, max_size=4)))
    rows = draw(st.integers(1, 5))
    columns = [
        pa.array(draw(st.lists(values(kind), min_size=rows, max_size=rows)), to_arrow(kind)) for kind in kinds
    ]
    names = [KIND, *map(field, range(len(kinds)))]
    return kinds, pa.Table.from_arrays([pa.array([0] * rows, pa.int8()), *columns], names=names)
