"""Binding of window table functions in FROM: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)).

Flink: SqlWindowTableFunction and its subclasses, WindowUtil.convertToWindowingStrategy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firesteel.bind.names import BindContext, Scope, did_you_mean
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes.window.logical import WindowTableFunction
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Window
from firesteel.sql import syntax
from firesteel.sql.interval_syntax import IntervalLiteral
from firesteel.sql.query_syntax import Select, TableArgument
from firesteel.types.sql import TIMESTAMPS, SqlType, TypeRoot

BindQuery = Callable[[syntax.Node], Node]

_LENGTHS = {
    "TUMBLE": ("SIZE", "OFFSET"),
    "HOP": ("SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("STEP", "SIZE", "OFFSET"),
    "SESSION": ("GAP",),
}
WINDOW_FUNCTIONS = tuple(_LENGTHS)


def bind_window_function(node: syntax.Call, query: BindQuery, context: BindContext) -> WindowTableFunction:
    """Return the plan of a window table function over its table.

    Args:
        node: The call, such as TUMBLE(...).
        query: Binds the table, which is a query.
        context: Catalog and settings of the statement.

    Raises:
        ValidationError: Flink refuses the arguments.
    """
    return _Call(node, context).bind(query)


@dataclass(frozen=True)
class _Call:
    node: syntax.Call
    context: BindContext

    @property
    def name(self) -> str:
        return self.node.name.upper()

    @property
    def place(self) -> SourceRange:
        return self.node.range

    def bind(self, query: BindQuery) -> WindowTableFunction:
        arguments = self._arguments()
        table = arguments["DATA"]
        below = self._table(table, query)
        descriptor = self._descriptor(arguments["TIMECOL"], below)
        lengths = self._lengths(arguments, below)
        names = [f.name for f in below.schema]
        time = names.index(descriptor[0])
        self._check_time(below, time)
        by_name = dict(zip(_LENGTHS[self.name], (_millis(i) for i in lengths), strict=False))
        window = self._window(by_name, self._partition(table, below))
        is_rowtime = time in event_times(below)
        return WindowTableFunction(below, window, time, is_rowtime, descriptor, tuple(lengths))

    # --- arguments -------------------------------------------------------------------------------
    def _arguments(self) -> Mapping[str, syntax.Node]:
        """Return the arguments by parameter name: DATA, TIMECOL, and lengths such as SIZE.

        Arguments that are written without names get the names of the parameters at their positions. The
        caller ignores arguments with other names.

        Raises:
            ValidationError: An argument is missing, there are too many, or only some are written with names.
        """
        known = ("DATA", "TIMECOL", *_LENGTHS[self.name])
        given = self.node.args
        named = [arg for arg in given if isinstance(arg, syntax.NamedArgument)]
        if named:
            if len(named) < len(given):
                raise ValidationError("Named and positional arguments cannot be mixed", range=self.place)
            found = {arg.name.name: arg.value for arg in named}
        else:
            if len(given) > len(known):
                raise self._wrong_number()
            found = dict(zip(known, given, strict=False))
        if any(name not in found for name in known if name != "OFFSET"):
            raise self._wrong_number()
        return found

    def _wrong_number(self) -> ValidationError:
        count = 2 + len([n for n in _LENGTHS[self.name] if n != "OFFSET"])
        return ValidationError(
            f"Invalid number of arguments to function '{self.name}'. Was expecting {count} arguments",
            range=self.place,
            hint=f"write {self._form()}",
        )

    def _form(self) -> str:
        intervals = ", ".join("datetime interval" for n in _LENGTHS[self.name] if n != "OFFSET")
        optional = "[, datetime interval]" if "OFFSET" in _LENGTHS[self.name] else ""
        partition = " [PARTITION BY (keycols, ...)]" if self.name == "SESSION" else ""
        return f"{self.name}(TABLE table_name{partition}, DESCRIPTOR(timecol), {intervals}{optional})"

    def _table(self, node: syntax.Node, query: BindQuery) -> Node:
        if isinstance(node, syntax.Subquery):
            return query(node.query)
        if not isinstance(node, TableArgument):
            place = node.range
            written = self.context.sql[place.start : place.end]
            raise self._no_column(written, node, "write TABLE before the table's name")
        if node.order:
            raise ValidationError(
                "Session window TVF doesn't support order by clause.", range=node.order[0].range
            )
        table = node.table
        if isinstance(table, syntax.Subquery):
            return query(table.query)
        return query(Select((syntax.Star(range=table.range),), table, range=table.range))

    def _partition(self, node: syntax.Node, below: Node) -> tuple[int, ...]:
        columns = node.partition if isinstance(node, TableArgument) else ()
        if columns and self.name != "SESSION":
            raise ValidationError(
                "Only tables with set semantics may be partitioned. Invalid PARTITION BY clause in the "
                f"0-th operand of table function '{self.name}'",
                range=columns[0].range,
            )
        found = [ScalarBinder(Scope.of(below), self.context).bind(column) for column in columns]
        for column, expr in zip(columns, found, strict=True):
            if not isinstance(expr, InputRef):
                raise ValidationError("PARTITION BY takes columns of the table", range=column.range)
        return tuple(expr.index for expr in found if isinstance(expr, InputRef))

    def _descriptor(self, node: syntax.Node, below: Node) -> tuple[str, ...]:
        names = [f.name for f in below.schema]
        if isinstance(node, syntax.Column):
            raise self._no_column(node.path[0], node, "write DESCRIPTOR(column)")
        is_descriptor = isinstance(node, syntax.Call) and node.name.upper() == "DESCRIPTOR"
        if not isinstance(node, syntax.Call) or not is_descriptor or not node.args:
            raise ValidationError(
                f"Supported form(s): {self._form()}", range=node.range, hint="write DESCRIPTOR(column)"
            )
        found = []
        for column in node.args:
            if not isinstance(column, syntax.Column) or len(column.path) > 1:
                raise ValidationError("Table or column alias must be a simple identifier", range=column.range)
            if column.path[0] not in names:
                hint = did_you_mean(column.path[0], names)
                raise ValidationError(f"Unknown identifier '{column.path[0]}'", range=column.range, hint=hint)
            found.append(column.path[0])
        return tuple(found)

    def _no_column(self, name: str, node: syntax.Node, hint: str) -> ValidationError:
        return ValidationError(f"Column '{name}' not found in any table", range=node.range, hint=hint)

    def _lengths(self, arguments: Mapping[str, syntax.Node], below: Node) -> list[Literal]:
        given = [arguments[name] for name in _LENGTHS[self.name] if name in arguments]
        for node in given:
            if isinstance(node, syntax.NullLiteral):
                raise ValidationError("Illegal use of 'NULL'", range=node.range)
        bound = [ScalarBinder(Scope(), self.context).bind(node) for node in given]
        for node, length in zip(given, bound, strict=True):
            if not length.type.is_interval:
                raise ValidationError(
                    f"Cannot apply '{self.name}' to arguments of type '{self._signature(below, bound)}'. "
                    f"Supported form(s): {self._form()}",
                    range=node.range,
                )
        return [self._length(node, length) for node, length in zip(given, bound, strict=True)]

    def _signature(self, below: Node, lengths: Sequence[Expr]) -> str:
        """Return the signature of the call for a message.

        Example: `TUMBLE(<RECORDTYPE(BIGINT UID, TIMESTAMP(3) *ROWTIME* TS)>, <COLUMN_LIST>, <INTEGER>)`.
        """
        marks = dict.fromkeys(event_times(below), "*ROWTIME*")
        marks |= dict.fromkeys(processing_times(below), "*PROCTIME*")
        fields = [f"{_shown(f.type, marks.get(i))} {f.name}" for i, f in enumerate(below.schema)]
        given = ", ".join(f"<{calcite_name(length.type)}>" for length in lengths)
        return f"{self.name}(<RECORDTYPE({', '.join(fields).upper()})>, <COLUMN_LIST>, {given})"

    def _length(self, node: syntax.Node, found: Expr) -> Literal:
        if not isinstance(found, Literal) or not isinstance(node, IntervalLiteral):
            raise ValidationError(
                "Only constant window descriptors are supported.",
                range=node.range,
                hint="write one interval, such as INTERVAL '10' MINUTE",
            )
        if found.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
            raise ValidationError(
                "Window aggregate only support SECOND, MINUTE, HOUR, DAY as the time unit. MONTH and YEAR "
                "time unit are not supported yet.",
                range=node.range,
            )
        return found

    # --- checks ----------------------------------------------------------------------------------
    def _check_time(self, below: Node, time: int) -> None:
        kind = below.schema[time].type
        if kind.root not in TIMESTAMPS:
            raise ValidationError(
                f"The window function {self._form()} requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ, "
                f"but is {calcite_name(kind)}.",
                range=self.place,
            )
        if time not in event_times(below) | processing_times(below):
            raise ValidationError(
                "The window function requires the timecol is a time attribute type, but is "
                f"{kind.with_nullable(True)}.",
                range=self.place,
                hint="the table needs a WATERMARK for the column, or take a column AS PROCTIME()",
            )

    def _window(self, lengths: Mapping[str, int], partition: tuple[int, ...]) -> Window:
        offset = lengths.get("OFFSET")
        function = f"{self.name} table function based aggregate"
        if self.name == "TUMBLE":
            size = lengths["SIZE"]
            self._require(size > 0, f"{function} requires size to be positive, but got {size} ms.")
            self._require(
                offset is None or abs(offset) < size,
                f"{self.name} table function parameters must satisfy abs(offset) < size, but got size "
                f"{size} ms and offset {offset} ms.",
            )
            return Window("TUMBLE", size, offset=offset)
        if self.name == "HOP":
            slide, size = lengths["SLIDE"], lengths["SIZE"]
            self._require(
                slide > 0 and size > 0,
                f"{function} requires slide and size to be positive, but got slide {slide} ms and size "
                f"{size} ms.",
            )
            return Window("HOP", size, slide, offset)
        if self.name == "CUMULATE":
            step, size = lengths["STEP"], lengths["SIZE"]
            self._require(
                step > 0 and size > 0,
                f"{function} requires maxSize and step to be positive, but got maxSize {size} ms and step "
                f"{step} ms.",
            )
            self._require(
                size % step == 0,
                f"{function} requires maxSize must be an integral multiple of step, but got maxSize "
                f"{size} ms and step {step} ms.",
            )
            return Window("CUMULATE", size, step, offset)
        gap = lengths["GAP"]
        self._require(gap > 0, f"{function} requires gap to be positive, but got gap {gap} ms.")
        return Window("SESSION", gap, partition=partition)

    def _require(self, holds: bool, message: str) -> None:
        if not holds:
            raise ValidationError(message, range=self.place)


def _millis(interval: Literal) -> int:
    assert isinstance(interval.value, int)
    return interval.value


def _shown(kind: SqlType, mark: str | None) -> str:
    """Return the type of a column as messages show it.

    Args:
        kind: Type of the column.
        mark: `*ROWTIME*` or `*PROCTIME*` for a time attribute, else None.
    """
    if mark is not None:
        return f"TIMESTAMP{'_LTZ' if kind.root is TypeRoot.TIMESTAMP_LTZ else ''}({kind.precision}) {mark}"
    return calcite_name(kind).replace("RecordType(", "RecordType:peek_no_expand(")
