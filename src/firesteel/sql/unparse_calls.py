"""Calcite's spelling of function calls and function names.

Source: SqlFunction.unparse and similar methods in Calcite. Flink's BridgingSqlFunction, whose name Calcite
prints between backquotes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from firesteel.sql.syntax import Binary, Call, Identifier, OrderItem, OverWindow, Subquery
from firesteel.sql.unparse import ExpressionWriter
from firesteel.sql.unparse_types import quoted, string
from firesteel.sql.words import words

BRIDGED = words(
    """
    TYPEOF IFNULL MAP_KEYS MAP_VALUES MAP_UNION MAP_ENTRIES MAP_FROM_ARRAYS SOURCE_WATERMARK
    ARRAY_APPEND ARRAY_CONTAINS ARRAY_SORT ARRAY_DISTINCT ARRAY_POSITION ARRAY_PREPEND ARRAY_REMOVE
    ARRAY_REVERSE ARRAY_SLICE ARRAY_UNION ARRAY_CONCAT ARRAY_MAX ARRAY_JOIN ARRAY_MIN SPLIT URL_DECODE
    URL_ENCODE INET_ATON INET_NTOA ARRAY_EXCEPT ARRAY_INTERSECT GREATEST LEAST PERCENTILE STARTSWITH
    ENDSWITH REGEXP_COUNT REGEXP_EXTRACT_ALL REGEXP_INSTR REGEXP_SUBSTR JSON_QUOTE JSON_UNQUOTE
    JSON_STRING JSON PRINTF BTRIM ELT OBJECT_OF OBJECT_UPDATE UNHEX TO_TIMESTAMP_LTZ CURRENT_WATERMARK
    PARSE_JSON TRY_PARSE_JSON BITMAP_AND BITMAP_ANDNOT BITMAP_AND_AGG BITMAP_AND_CARDINALITY_AGG
    BITMAP_BUILD BITMAP_BUILD_AGG BITMAP_BUILD_CARDINALITY_AGG BITMAP_CARDINALITY BITMAP_FROM_BYTES
    BITMAP_OR BITMAP_OR_AGG BITMAP_OR_CARDINALITY_AGG BITMAP_TO_ARRAY BITMAP_TO_BYTES BITMAP_TO_STRING
    BITMAP_XOR BITMAP_XOR_AGG BITMAP_XOR_CARDINALITY_AGG
    """
)
"""Built-in functions that are a BridgingSqlFunction, so that their names are printed between backquotes.

Flink's BuiltInFunctionDefinitions defines them with a runtime class of their own.
"""

_EXTRACTS = {
    **{unit: unit for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")},
    "DAYOFYEAR": "DOY",
    "DAYOFMONTH": "DAY",
    "DAYOFWEEK": "DOW",
}
_WINDOWS = ("TUMBLE", "HOP", "SESSION")


class CallWriter(ExpressionWriter):
    """Writer of calls. Subclasses write names, windows and user-defined functions."""

    def user_function(self, name: str) -> str | None:
        """Return the text of a user-defined function's name, or None for a built-in function."""
        return None

    @abstractmethod
    def window(self, node: OverWindow | Identifier) -> str:
        """Return the text after OVER."""

    def call(self, node: Call) -> str:
        """Return the text of a function call, with FILTER and OVER."""
        name = node.name
        own = self.user_function(name)
        writer = self._special().get(name.upper()) if own is None else None
        if node.bare:
            return name.upper()
        text = writer(node) if writer is not None else f"{own or _spelled(name)}({self._arguments(node)})"
        if node.nulls:
            text += f" {node.nulls} NULLS"
        if node.filter is not None:
            text += f" FILTER (WHERE {self.expression(node.filter)})"
        if node.over is not None:
            text += f" OVER {self.window(node.over)}"
        return text

    def _arguments(self, node: Call) -> str:
        if node.star:
            return "*"
        text = self.expressions(node.args)
        if node.order:
            text += " ORDER BY " + self.order(node.order)
        if node.distinct:
            return f"DISTINCT {text}"
        return f"ALL {text}" if self._says_all(node) else text

    def _says_all(self, node: Call) -> bool:
        after = self.written(node)[len(node.name) :].lstrip(" (\n\t")
        return after[:4].upper() == "ALL "

    def order(self, items: tuple[OrderItem, ...]) -> str:
        """Return the text of the ORDER BY items."""
        texts = []
        for item in items:
            text = self.expression(item.value) + (" DESC" if item.descending else "")
            nulls = item.nulls_first
            texts.append(text if nulls is None else f"{text} NULLS {'FIRST' if nulls else 'LAST'}")
        return ", ".join(texts)

    def _special(self) -> dict[str, Callable[[Call], str]]:
        return {
            "ARRAY": self._constructor,
            "MAP": self._constructor,
            "EXTRACT": lambda n: f"EXTRACT({n.options[0]} FROM {self.expression(n.args[0])})",
            "TRIM": self._trim,
            "POSITION": lambda n: self._words(n, "POSITION", ("", " IN ", " FROM ")),
            "OVERLAY": lambda n: self._words(n, "OVERLAY", ("", " PLACING ", " FROM ", " FOR ")),
            "FLOOR": self._rounding,
            "CEIL": self._rounding,
            "CEILING": self._rounding,
            "TIMESTAMPADD": self._unit_first,
            "TIMESTAMPDIFF": self._unit_first,
            "NULLIF": self._nullif,
            "CONVERT": self._using,
            "JSON_EXISTS": self._json_exists,
            "JSON_VALUE": self._json_value,
            "JSON_QUERY": self._json_query,
            "JSON_OBJECT": self._json_object,
            "JSON_OBJECTAGG": self._json_object,
            "JSON_ARRAY": self._json_array,
            "JSON_ARRAYAGG": self._json_array,
            **dict.fromkeys(_EXTRACTS, self._extract_of),
        }

    def _constructor(self, node: Call) -> str:
        if len(node.args) == 1 and isinstance(node.args[0], Subquery):
            return f"{node.name.upper()} ({self.query(node.args[0].query)})"
        return f"{node.name.upper()}[{self.expressions(node.args)}]"

    def _words(self, node: Call, name: str, before: tuple[str, ...]) -> str:
        pairs = zip(before, node.args, strict=False)
        return f"{name}({''.join(word + self.expression(item) for word, item in pairs)})"

    def _trim(self, node: Call) -> str:
        what, text = (self.expression(item) for item in node.args)
        return f"TRIM({node.options[0]} {what} FROM {text})"

    def _rounding(self, node: Call) -> str:
        unit = f" TO {node.options[0]}" if node.options else ""
        name = "FLOOR" if node.name.upper() == "FLOOR" else "CEIL"
        return f"{name}({self._arguments(node)}{unit})"

    def _unit_first(self, node: Call) -> str:
        written = self.written(node).partition("(")[2].partition(",")[0].strip().upper()
        unit = quoted(written) if written.startswith("SQL_TSI_") else node.options[0]
        return f"{node.name.upper()}({unit}, {self.expressions(node.args)})"

    def _nullif(self, node: Call) -> str:
        if len(node.args) != 2:
            return f"NULLIF({self._arguments(node)})"
        a, b = node.args
        test = self.expression(Binary("=", a, b))
        return f"CASE WHEN {test} THEN NULL ELSE {self.expression(a)} END"

    def _extract_of(self, node: Call) -> str:
        if len(node.args) != 1:
            return f"{node.name.upper()}({self._arguments(node)})"
        return f"EXTRACT({_EXTRACTS[node.name.upper()]} FROM {self.expression(node.args[0])})"

    def _using(self, node: Call) -> str:
        if not node.options:
            return f"CONVERT({self._arguments(node)})"
        return f"CONVERT({self.expression(node.args[0])} USING {quoted(node.options[1])})"

    # --- JSON ------------------------------------------------------------------------------------
    def _json_exists(self, node: Call) -> str:
        word = node.json.on_error
        return f"JSON_EXISTS({self.expressions(node.args)}{f' {word} ON ERROR' if word else ''})"

    def _json_value(self, node: Call) -> str:
        text = self.expressions(node.args) + self._returning(node)
        clauses, defaults = node.json.clauses, iter(node.json.defaults)
        for word, event in zip(clauses[::2], clauses[1::2], strict=True):
            value = f" {self.expression(next(defaults))}" if word == "DEFAULT" else ""
            text += f" {word}{value} {event}"
        return f"JSON_VALUE({text})"

    def _returning(self, node: Call) -> str:
        kind = node.json.returning
        return f" RETURNING {self.type(kind)}" if kind is not None else ""

    def _json_query(self, node: Call) -> str:
        wrapper = {
            "CONDITIONAL": "WITH CONDITIONAL ARRAY WRAPPER",
            "UNCONDITIONAL": "WITH UNCONDITIONAL ARRAY WRAPPER",
        }.get(node.json.wrapper or "", "WITHOUT ARRAY WRAPPER")
        empty, error = (word or "NULL" for word in (node.json.on_empty, node.json.on_error))
        head = self.expressions(node.args) + self._returning(node)
        return f"JSON_QUERY({head} {wrapper} {empty} ON EMPTY {error} ON ERROR)"

    def _json_object(self, node: Call) -> str:
        keys, values = node.args[::2], node.args[1::2]
        pairs = [
            f"KEY {self.expression(k)} VALUE {self.expression(v)}" for k, v in zip(keys, values, strict=True)
        ]
        on_null = f"{node.json.on_null or 'NULL'} ON NULL"
        inside = " ".join(part for part in (", ".join(pairs), on_null) if part)
        return f"{node.name.upper()}({inside})"

    def _json_array(self, node: Call) -> str:
        if not node.args:
            return f"{node.name.upper()}()"
        order = f" ORDER BY {self.order(node.order)}" if node.order else ""
        on_null = node.json.on_null or "ABSENT"
        return f"{node.name.upper()}({self.expressions(node.args)}{order} {on_null} ON NULL)"


def _spelled(name: str) -> str:
    """Return the name of a built-in function as Calcite prints it.

    A name in BRIDGED is put between backquotes as it is written: `split`. Other names are in upper case:
    CONCAT, with `$` before the group windows: $TUMBLE. For TRANSLATE, Calcite prints `TRANSLATE3`.
    """
    upper = name.upper()
    if upper == "TRANSLATE":
        return quoted("TRANSLATE3")
    if upper in _WINDOWS:
        return f"${upper}"
    return quoted(name) if upper in BRIDGED else upper


def hint(name: str, options: tuple[tuple[str, str], ...]) -> str:
    """Return the text `/*+ NAME('key' = 'value') */`."""
    pairs = [f"{string(k)} = {string(v)}" if k else string(v) for k, v in options]
    return f"/*+ {quoted(name)}({', '.join(pairs)}) */"
