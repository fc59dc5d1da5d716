"""Binding of CREATE TABLE ... LIKE: the parts taken from the other table (Flink: MergeTableLikeUtil)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from firesteel.bind.names import BindContext, Relation, Scope, did_you_mean
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.catalog.schema import Column, Place, Table, View, Watermark
from firesteel.errors import ValidationError
from firesteel.plan.tree import Field
from firesteel.sql.parser import parse_expression
from firesteel.sql.statements import CreateTable
from firesteel.types.sql import quoted_name

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
    """Parts of the LIKE table that the new table keeps. Without LIKE all parts are empty.

    Attributes:
        overwrites_options: Whether WITH may set an option that is also in `options`.
        overwrites_watermark: Whether the statement may define a watermark if there is one in `watermark`.
    """

    columns: tuple[Column, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    primary_key: tuple[str, ...] = ()
    primary_key_name: str | None = None
    partition_keys: tuple[str, ...] = ()
    watermark: Watermark | None = None
    overwrites_options: bool = True
    overwrites_watermark: bool = False
    option_places: Mapping[str, Place] = field(default_factory=dict)

    def rebound(self, binder: ScalarBinder) -> list[Column]:
        """Return the columns, with the expressions of computed columns bound again.

        A bound expression refers to columns by their numbers, which may be different in the new table.
        """
        return [
            column
            if column.computed_sql is None
            else replace(column, computed=binder.bind(parse_expression(column.computed_sql)))
            for column in self.columns
        ]

    def watermark_over(self, columns: tuple[Column, ...], context: BindContext) -> Watermark | None:
        """Return the watermark, bound again over all columns of the new table."""
        if self.watermark is None:
            return None
        scope = Scope((Relation((), tuple(Field(c.name, c.type) for c in columns)),))
        expression = ScalarBinder(scope, context).bind(parse_expression(self.watermark.sql))
        return replace(self.watermark, expression=expression)


def base_of(statement: CreateTable, context: BindContext) -> Base:
    """Return the parts that the new table takes from the table of LIKE.

    Raises:
        ValidationError: The table is unknown or a view, or a merging strategy is wrong.
    """
    if statement.like is None:
        return Base()
    name = statement.like.table
    strategies = _strategies(statement)
    entry = context.catalog.find(name.parts)
    if entry is None:
        path = ".".join(map(quoted_name, context.catalog.path(name.parts)))
        raise ValidationError(
            f"Source table '{path}' of the LIKE clause not found in the catalog",
            range=name.range,
            hint=did_you_mean(name.parts[-1], context.catalog.names()),
        )
    if isinstance(entry, View):
        path = ".".join(map(quoted_name, entry.path))
        line, column = name.range.line_and_column(context.sql)
        raise ValidationError(
            f"Source table '{path}' of the LIKE clause can not be a VIEW, at line {line}, column {column}",
            range=name.range,
        )
    return _kept(entry, strategies, {column.name for column in statement.columns})


def _strategies(statement: CreateTable) -> dict[str, str]:
    assert statement.like is not None
    found = dict(_DEFAULTS)
    explicit: dict[str, str] = {}
    all_declared = False
    for strategy, feature in statement.like.options:
        if strategy == "OVERWRITING" and feature in ("ALL", "CONSTRAINTS", "PARTITIONS", "DISTRIBUTION"):
            raise ValidationError(
                f"Illegal merging strategy '{strategy}' for '{feature}' option.",
                range=statement.like.table.range,
            )
        if (feature in explicit) or (feature == "ALL" and all_declared):
            raise ValidationError(
                "Each like option feature can be declared only once.", range=statement.like.table.range
            )
        if feature == "ALL":
            all_declared = True
            found = dict.fromkeys(found, strategy)
        else:
            explicit[feature] = strategy
    return {**found, **explicit}


def _kept(table: Table, strategies: dict[str, str], own: set[str]) -> Base:
    """Return the parts of a table that the merging strategies keep.

    Args:
        table: Table of the LIKE clause.
        strategies: INCLUDING, EXCLUDING or OVERWRITING for each feature.
        own: Names of the columns that the statement defines itself. With OVERWRITING, they replace computed
            or metadata columns of `table`.
    """

    def keeps(feature: str) -> bool:
        return strategies[feature] != "EXCLUDING"

    def keeps_column(column: Column) -> bool:
        if column.is_physical:
            return True
        feature = "GENERATED" if column.computed is not None else "METADATA"
        return keeps(feature) and not (strategies[feature] == "OVERWRITING" and column.name in own)

    columns = tuple(column for column in table.columns if keeps_column(column))
    key = table.primary_key if keeps("CONSTRAINTS") else ()
    return Base(
        columns,
        table.options if keeps("OPTIONS") else (),
        key,
        table.primary_key_name if key else None,
        table.partition_keys if keeps("PARTITIONS") else (),
        table.watermark if keeps("WATERMARKS") else None,
        strategies["OPTIONS"] == "OVERWRITING",
        strategies["WATERMARKS"] == "OVERWRITING",
        table.option_places if keeps("OPTIONS") else {},
    )
