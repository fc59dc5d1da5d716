"""Binding of CREATE TABLE to a Table, with Flink's checks (MergeTableLikeUtil, SchemaResolver)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.bind.aggregate.aggregate import refuse_aggregates
from firesteel.bind.checks import check_column
from firesteel.bind.group_windows import misplaced_auxiliary, refuse_auxiliaries
from firesteel.bind.names import BindContext, Relation, Scope, did_you_mean
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.statements.like import Base, base_of
from firesteel.catalog.schema import Column, Place, Table, Watermark
from firesteel.errors import FiresteelError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.tree import Field
from firesteel.sql.statements import ColumnDefinition, CreateTable, KeyDefinition, Name, WatermarkDefinition
from firesteel.types.sql import TIMESTAMPS, SqlType, TypeRoot


def bind_create_table(statement: CreateTable, context: BindContext, may_be_empty: bool = False) -> Table:
    """Return the table that the statement defines, without the properties of its connector (`traits`: None).

    Args:
        statement: The statement.
        context: Catalog and settings.
        may_be_empty: Whether the table may have no columns. ALTER TABLE may drop all of them.

    Raises:
        ValidationError: Flink refuses the definition.
    """
    try:
        return _Binder(statement, context, base_of(statement, context), may_be_empty).table()
    except FiresteelError as error:
        raise error.located(context.sql) from None


@dataclass(frozen=True)
class _Binder:
    statement: CreateTable
    context: BindContext
    base: Base
    may_be_empty: bool = False

    def table(self) -> Table:
        statement = self.statement
        catalog, database, name = self.context.catalog.path(statement.table.parts)
        key, key_name = self._primary_key()
        columns = self._columns(key)
        return Table(
            catalog,
            database,
            name,
            columns,
            self._options(),
            primary_key=key,
            primary_key_name=key_name,
            watermark=self._watermark(columns),
            partition_keys=self._partition_keys(columns),
            comment=statement.comment,
            temporary=statement.temporary,
            place=Place(self.context.sql, statement.table.range),
            option_places=self._option_places(),
        )

    # --- columns ---------------------------------------------------------------------------------
    def _columns(self, key: tuple[str, ...]) -> tuple[Column, ...]:
        definitions = self.statement.columns
        stored = {column.name: column for column in self.base.columns if column.computed is None}
        seen: set[str] = set(stored) | {c.name for c in self.base.columns}
        for definition in definitions:
            self._check_new(definition, seen)
            seen.add(definition.name)
            if definition.computed is None:
                stored[definition.name] = _stored(definition, key)
        if not seen and not self.base.columns and not self.may_be_empty:
            raise ValidationError("A table needs at least one column", range=self.statement.table.range)
        relation = Relation((), tuple(Field(c.name, c.type) for c in stored.values()))
        binder = ScalarBinder(
            Scope((relation,)),
            self.context,
            refuse_aggregates("Aggregate expression is illegal in a computed column"),
        )
        columns = [_with_key(column, key) for column in self.base.rebound(binder)]
        for definition in definitions:
            if definition.computed is None:
                columns.append(stored[definition.name])
            else:
                columns.append(_computed(definition, binder))
        return tuple(columns)

    def _check_new(self, definition: ColumnDefinition, seen: set[str]) -> None:
        if definition.name in seen:
            raise ValidationError(self._already_there(definition), range=definition.range)

    def _already_there(self, definition: ColumnDefinition) -> str:
        """Return Flink's message for a column name that exists already.

        The text depends on the kinds of both columns (regular, computed or metadata), and on whether the
        first one comes from the table of LIKE.
        """
        name, kind = definition.name, _kind_of(definition)
        inherited = next((c for c in self.base.columns if c.name == name), None)
        first = _kind_of(inherited or next(c for c in self.statement.columns if c.name == name))
        if first != kind and inherited is None:
            kinds = " and ".join(
                f"{k} column" for k in ("compute", "metadata", "regular") if k in (first, kind)
            )
            return (
                f"A column named '{name}' already exists in the table. "
                f"Duplicate columns exist in the {kinds}."
            )
        if kind in _FEATURES and first == kind:
            word = _FEATURES[kind]
            return (
                f"A {word.lower()} column named '{name}' already exists in the base table. You might want to "
                f"specify EXCLUDING {word} or OVERWRITING {word}."
            )
        if inherited is not None:
            return f"A column named '{name}' already exists in the base table."
        return f"A regular Column named '{name}' already exists in the table."

    # --- primary key -----------------------------------------------------------------------------
    def _primary_key(self) -> tuple[tuple[str, ...], str | None]:
        keys = self.statement.keys
        if not keys:
            return self.base.primary_key, self.base.primary_key_name
        first = keys[0]
        if first.kind == "UNIQUE":
            raise ValidationError("UNIQUE constraint is not supported yet", range=first.range)
        if len(keys) > 1:
            raise ValidationError("Duplicate primary key definition", range=keys[1].range)
        if first.enforced is not False:
            raise ValidationError(
                "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED "
                "controls if the constraint checks are performed on the incoming/outgoing data. Flink does "
                "not own the data therefore the only supported mode is the NOT ENFORCED mode",
                range=first.range,
                hint="write PRIMARY KEY (...) NOT ENFORCED",
            )
        if self.base.primary_key:
            raise ValidationError(
                "The base table already has a primary key. You might want to specify EXCLUDING CONSTRAINTS.",
                range=first.range,
            )
        return self._key_columns(first), first.name

    def _key_columns(self, key: KeyDefinition) -> tuple[str, ...]:
        names: list[str] = []
        known = {c.name: c for c in self.statement.columns}
        inherited = [c.name for c in self.base.columns if c.is_physical]
        for column in key.columns:
            name = column.parts[0]
            if name in names:
                raise ValidationError(
                    f"Invalid primary key '{_key_name(key)}'. A primary key must not contain duplicate "
                    f"columns. Found: [{name}]",
                    range=column.range,
                )
            if name in known and (known[name].computed is not None or known[name].metadata is not None):
                raise ValidationError(
                    f"Could not create a PRIMARY KEY with column '{name}': it is not a physical column.",
                    range=column.range,
                )
            if name not in known and name not in inherited:
                raise ValidationError(
                    f"Primary key column '{name}' is not defined in the schema",
                    range=column.range,
                    hint=did_you_mean(name, [*known, *inherited]),
                )
            names.append(name)
        return tuple(names)

    # --- the rest --------------------------------------------------------------------------------
    def _options(self) -> tuple[tuple[str, str], ...]:
        options = dict(self.base.options)
        own = dict(self.statement.options)
        for key in own:
            if key in options and not self.base.overwrites_options:
                place = self._option_places().get(key)
                raise ValidationError(
                    f"There already exists an option ['{key}' -> '{options[key]}']  in the base table. You "
                    "might want to specify EXCLUDING OPTIONS or OVERWRITING OPTIONS.",
                    range=place.range if place is not None else self.statement.table.range,
                )
        return tuple({**options, **own}.items())

    def _option_places(self) -> dict[str, Place]:
        own = places_of(self.statement.options, self.statement.option_ranges, self.context.sql)
        return {**self.base.option_places, **own}

    def _partition_keys(self, columns: tuple[Column, ...]) -> tuple[str, ...]:
        names = [column.name for column in columns]
        for key in self.statement.partition_keys:
            if key.parts[0] not in names:
                raise ValidationError(
                    f"Partition column '{key}' not defined in the table schema. Available columns: "
                    f"[{', '.join(repr(n) for n in names)}]",
                    range=key.range,
                )
        if self.statement.partition_keys:
            return tuple(key.parts[0] for key in self.statement.partition_keys)
        return self.base.partition_keys

    def _watermark(self, columns: tuple[Column, ...]) -> Watermark | None:
        definitions = self.statement.watermarks
        if not definitions:
            return self.base.watermark_over(columns, self.context)
        if self.base.watermark is not None and not self.base.overwrites_watermark:
            raise ValidationError(
                f"There already exists a watermark spec for column '{self.base.watermark.column}' in the "
                "base table. You might want to specify EXCLUDING WATERMARKS or OVERWRITING WATERMARKS.",
                range=definitions[0].range,
            )
        if len(definitions) > 1:
            raise ValidationError(
                "Multiple WATERMARK declarations are not supported yet.", range=definitions[1].range
            )
        return bind_watermark(definitions[0], columns, self.context)


def places_of(
    options: Sequence[tuple[str, str]], ranges: Sequence[SourceRange], sql: str
) -> dict[str, Place]:
    """Return the position of each option in a statement, by the option's key.

    Args:
        options: Options as written.
        ranges: Position of each option in `sql`. If it is empty, so is the result.
        sql: Text of the statement.
    """
    return {key: Place(sql, range) for (key, _), range in zip(options, ranges, strict=False)}


_TIMES = (
    "The field must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3,"
)


def bind_watermark(
    definition: WatermarkDefinition, columns: tuple[Column, ...], context: BindContext
) -> Watermark:
    """Return the watermark of WATERMARK FOR, bound over all columns.

    Raises:
        ValidationError: The time column does not exist or is a processing time. Or the type of the column or
            of the expression is wrong: the precision is above 3, or they are not both TIMESTAMP or both
            TIMESTAMP_LTZ. SOURCE_WATERMARK() fits both.
    """
    name = _rowtime_column(definition.column, columns)
    check_column(definition.expression)
    relation = Relation((), tuple(Field(c.name, c.type) for c in columns))
    refuse = refuse_aggregates("Aggregate expression is illegal in a watermark")
    expression = ScalarBinder(Scope((relation,)), context, refuse).bind(definition.expression)
    refuse_auxiliaries(expression, misplaced_auxiliary)
    if not _is_time(expression.type):
        raise ValidationError(
            f"Invalid data type of expression for watermark definition. {_TIMES} but the watermark "
            f"expression type is {expression.type.with_nullable(True)}",
            range=definition.expression.range,
        )
    _check_same_root(expression, next(c.type for c in columns if c.name == name), definition)
    return Watermark(name, expression, definition.sql)


def _check_same_root(watermark: Expr, time: SqlType, definition: WatermarkDefinition) -> None:
    """Raise ValidationError if watermark and time have different type roots, except SOURCE_WATERMARK()."""
    is_source = isinstance(watermark, Call) and watermark.function == "SOURCE_WATERMARK"
    if watermark.type.root is not time.root and not is_source:
        raise ValidationError(
            f"The watermark declaration's output data type '{watermark.type}' is different from the time "
            f"field's data type '{time}'.",
            range=definition.expression.range,
        )


def _rowtime_column(name: Name, columns: tuple[Column, ...]) -> str:
    if len(name.parts) > 1:
        raise ValidationError(
            f"Invalid column name '{name}' for rowtime attribute in watermark declaration. Available columns "
            f"are: [{', '.join(c.name for c in columns)}]",
            range=name.range,
            hint="make the field a computed column",
        )
    column = next((c for c in columns if c.name == name.parts[0]), None)
    if column is None:
        raise ValidationError(
            f"The rowtime attribute field '{name}' is not defined in the table schema, at line 1",
            range=name.range,
            hint=did_you_mean(name.parts[0], [c.name for c in columns]),
        )
    if isinstance(column.computed, Call) and column.computed.function == "PROCTIME":
        raise ValidationError(
            "A watermark can not be defined for a processing-time attribute.", range=name.range
        )
    if not _is_time(column.type):
        raise ValidationError(
            f"Invalid data type of time field for watermark definition. {_TIMES} but the time field type is "
            f"{column.type.with_nullable(True)}",
            range=name.range,
        )
    return column.name


_FEATURES = {"compute": "GENERATED", "metadata": "METADATA"}


def _kind_of(column: ColumnDefinition | Column) -> str:
    if column.computed is not None:
        return "compute"
    return "regular" if column.metadata is None else "metadata"


def _key_name(key: KeyDefinition) -> str:
    return key.name or f"PK_{'_'.join(column.parts[0] for column in key.columns)}"


def _is_time(kind: SqlType) -> bool:
    return kind.root in TIMESTAMPS and (kind.precision or 0) <= 3


def _stored(definition: ColumnDefinition, key: tuple[str, ...]) -> Column:
    kind = definition.type
    if kind is None or kind.root is TypeRoot.NULL:
        raise ValidationError(f"Column '{definition.name}' needs a type", range=definition.range)
    column = Column(
        definition.name,
        kind,
        metadata=definition.metadata,
        virtual=definition.virtual,
        comment=definition.comment,
    )
    return _with_key(column, key)


def _with_key(column: Column, key: tuple[str, ...]) -> Column:
    return replace(column, type=column.type.with_nullable(False)) if column.name in key else column


def _computed(definition: ColumnDefinition, binder: ScalarBinder) -> Column:
    assert definition.computed is not None
    check_column(definition.computed)
    expression = binder.bind_typed(definition.computed)
    refuse_auxiliaries(expression, misplaced_auxiliary)
    return Column(
        definition.name,
        expression.type,
        computed=expression,
        computed_sql=definition.computed_sql,
        comment=definition.comment,
    )
