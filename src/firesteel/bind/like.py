"""CREATE TABLE ... LIKE: what is taken over from the other table (Flink: MergeTableLikeUtil)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firesteel.bind.names import BindContext
from firesteel.bind.scalar import ScalarBinder
from firesteel.catalog.catalog import table_of
from firesteel.catalog.schema import Column, Table, Watermark
from firesteel.errors import ValidationError
from firesteel.sql.parser import parse_expression
from firesteel.sql.statements import CreateTable

_DEFAULTS = {
    "CONSTRAINTS": "INCLUDING",
    "DISTRIBUTION": "INCLUDING",
    "PARTITIONS": "INCLUDING",
    "GENERATED": "INCLUDING",
    "METADATA": "INCLUDING",
    "OPTIONS": "OVERWRITING",
    "WATERMARKS": "INCLUDING",
}


@dataclass(frozen=True)
class Base:
    """The part of the other table that is kept; empty without LIKE."""

    columns: tuple[Column, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    primary_key: tuple[str, ...] = ()
    primary_key_name: str | None = None
    partition_keys: tuple[str, ...] = ()
    watermark: Watermark | None = None
    overwrites_options: bool = True

    def rebound(self, binder: ScalarBinder) -> list[Column]:
        """The columns, computed ones bound again: they count columns, and there are others now."""
        return [
            column
            if column.computed_sql is None
            else replace(column, computed=binder.bind(parse_expression(column.computed_sql)))
            for column in self.columns
        ]

    def watermark_over(self, columns: tuple[Column, ...], context: BindContext) -> Watermark | None:
        """The watermark, bound again over all columns of the new table."""
        from firesteel.bind.names import Relation, Scope
        from firesteel.plan.tree import Field

        if self.watermark is None:
            return None
        scope = Scope((Relation((), tuple(Field(c.name, c.type) for c in columns)),))
        expression = ScalarBinder(scope, context).bind(parse_expression(self.watermark.sql))
        return replace(self.watermark, expression=expression)


def base_of(statement: CreateTable, context: BindContext) -> Base:
    """What LIKE takes over. Raises ValidationError for an unknown table, a view or a wrong strategy."""
    if statement.like is None:
        return Base()
    name = statement.like.table
    strategies = _strategies(statement)
    table = table_of(context.catalog.get(name.parts, name.range), name.range)
    return _kept(table, strategies)


def _strategies(statement: CreateTable) -> dict[str, str]:
    assert statement.like is not None
    found = dict(_DEFAULTS)
    explicit: dict[str, str] = {}
    for strategy, feature in statement.like.options:
        if strategy == "OVERWRITING" and feature in ("ALL", "CONSTRAINTS", "PARTITIONS", "DISTRIBUTION"):
            raise ValidationError(
                f"Illegal merging strategy '{strategy}' for '{feature}' option.",
                range=statement.like.table.range,
            )
        if feature == "ALL":
            found = dict.fromkeys(found, strategy)
        else:
            explicit[feature] = strategy
    return {**found, **explicit}


def _kept(table: Table, strategies: dict[str, str]) -> Base:
    def keeps(feature: str) -> bool:
        return strategies[feature] != "EXCLUDING"

    columns = tuple(
        column
        for column in table.columns
        if column.is_physical or keeps("GENERATED" if column.computed is not None else "METADATA")
    )
    key = table.primary_key if keeps("CONSTRAINTS") else ()
    return Base(
        columns,
        table.options if keeps("OPTIONS") else (),
        key,
        table.primary_key_name if key else None,
        table.partition_keys if keeps("PARTITIONS") else (),
        table.watermark if keeps("WATERMARKS") else None,
        strategies["OPTIONS"] == "OVERWRITING",
    )
