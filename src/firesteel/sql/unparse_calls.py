"""Calls as Calcite writes them back: those with a syntax of their own, and the spelling of names.

Source: SqlFunction.unparse and its kin in Calcite; BridgingSqlFunction of Flink, whose name is an identifier
and stands in backquotes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from sqlglot import exp

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
"""Built-in functions of Flink's own kind (BuiltInFunctionDefinitions with a runtime of their own)."""

_EXTRACTS = {
    **{unit: unit for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")},
    "DAYOFYEAR": "DOY",
    "DAYOFMONTH": "DAY",
    "DAYOFWEEK": "DOW",
}
_WINDOWS = ("TUMBLE", "HOP", "SESSION")


class CallWriter(ExpressionWriter):
    """Writes calls; names, windows and functions of the user's are a sub-class's."""

    def user_function(self, name: str) -> str | None:
        """How a function of the user's is written; None for all others."""
        return None

    @abstractmethod
    def window(self, node: exp.Expression) -> str:
        """What stands after OVER."""

    def call(self, node: exp.Anonymous) -> str:
        """A function's call, with what may follow it."""
        name = str(node.this)
        own = self.user_function(name)
        writer = self._special().get(name.upper()) if own is None else None
        if node.args.get("bare"):
            return name.upper()
        text = writer(node) if writer is not None else f"{own or _spelled(name)}({self._arguments(node)})"
        if node.args.get("nulls"):
            text += f" {node.args['nulls']} NULLS"
        if node.args.get("filter") is not None:
            text += f" FILTER (WHERE {self.expression(node.args['filter'])})"
        if node.args.get("over") is not None:
            text += f" OVER {self.window(node.args['over'])}"
        return text

    def _arguments(self, node: exp.Anonymous) -> str:
        if node.args.get("star"):
            return "*"
        text = self.expressions(node.expressions)
        if node.args.get("order"):
            text += " ORDER BY " + self.order(node.args["order"])
        if node.args.get("distinct"):
            return f"DISTINCT {text}"
        return f"ALL {text}" if self._says_all(node) else text

    def _says_all(self, node: exp.Anonymous) -> bool:
        after = self.written(node)[len(str(node.this)) :].lstrip(" (\n\t")
        return after[:4].upper() == "ALL "

    def order(self, items: list[exp.Expression]) -> str:
        """The items of ORDER BY."""
        texts = []
        for item in items:
            text = self.expression(item.this)
            text += " DESC" if item.args.get("desc") else ""
            nulls = item.args.get("nulls_first")
            texts.append(text if nulls is None else f"{text} NULLS {'FIRST' if nulls else 'LAST'}")
        return ", ".join(texts)

    def _special(self) -> dict[str, Callable[[exp.Anonymous], str]]:
        return {
            "ARRAY": self._constructor,
            "MAP": self._constructor,
            "EXTRACT": lambda n: f"EXTRACT({n.args['options'][0]} FROM {self.expression(n.expressions[0])})",
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

    def _constructor(self, node: exp.Anonymous) -> str:
        if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Subquery):
            return f"{node.this.upper()} ({self.query(node.expressions[0].this)})"
        return f"{node.this.upper()}[{self.expressions(node.expressions)}]"

    def _words(self, node: exp.Anonymous, name: str, before: tuple[str, ...]) -> str:
        pairs = zip(before, node.expressions, strict=False)
        return f"{name}({''.join(word + self.expression(item) for word, item in pairs)})"

    def _trim(self, node: exp.Anonymous) -> str:
        what, text = (self.expression(item) for item in node.expressions)
        return f"TRIM({node.args['options'][0]} {what} FROM {text})"

    def _rounding(self, node: exp.Anonymous) -> str:
        unit = f" TO {node.args['options'][0]}" if node.args.get("options") else ""
        name = "FLOOR" if node.this.upper() == "FLOOR" else "CEIL"
        return f"{name}({self._arguments(node)}{unit})"

    def _unit_first(self, node: exp.Anonymous) -> str:
        written = self.written(node).partition("(")[2].partition(",")[0].strip().upper()
        unit = quoted(written) if written.startswith("SQL_TSI_") else node.args["options"][0]
        return f"{node.this.upper()}({unit}, {self.expressions(node.expressions)})"

    def _nullif(self, node: exp.Anonymous) -> str:
        if len(node.expressions) != 2:
            return f"NULLIF({self._arguments(node)})"
        a, b = node.expressions
        test = self.expression(exp.EQ(this=a.copy(), expression=b.copy()))
        return f"CASE WHEN {test} THEN NULL ELSE {self.expression(a)} END"

    def _extract_of(self, node: exp.Anonymous) -> str:
        if len(node.expressions) != 1:
            return f"{node.this.upper()}({self._arguments(node)})"
        return f"EXTRACT({_EXTRACTS[node.this.upper()]} FROM {self.expression(node.expressions[0])})"

    def _using(self, node: exp.Anonymous) -> str:
        if not node.args.get("options"):
            return f"CONVERT({self._arguments(node)})"
        return f"CONVERT({self.expression(node.expressions[0])} USING {quoted(node.args['options'][1])})"

    # --- JSON ------------------------------------------------------------------------------------
    def _json_exists(self, node: exp.Anonymous) -> str:
        word = node.args.get("on_error")
        return f"JSON_EXISTS({self.expressions(node.expressions)}{f' {word} ON ERROR' if word else ''})"

    def _json_value(self, node: exp.Anonymous) -> str:
        text = self.expressions(node.expressions) + self._returning(node)
        clauses, defaults = node.args.get("clauses") or [], iter(node.args.get("defaults") or [])
        for word, event in zip(clauses[::2], clauses[1::2], strict=True):
            value = f" {self.expression(next(defaults))}" if word == "DEFAULT" else ""
            text += f" {word}{value} {event}"
        return f"JSON_VALUE({text})"

    def _returning(self, node: exp.Anonymous) -> str:
        kind = node.args.get("returning")
        return f" RETURNING {self.type(kind)}" if kind is not None else ""

    def _json_query(self, node: exp.Anonymous) -> str:
        wrapper = {
            "CONDITIONAL": "WITH CONDITIONAL ARRAY WRAPPER",
            "UNCONDITIONAL": "WITH UNCONDITIONAL ARRAY WRAPPER",
        }.get(node.args.get("wrapper") or "", "WITHOUT ARRAY WRAPPER")
        empty, error = (node.args.get(f"on_{event}") or "NULL" for event in ("empty", "error"))
        head = self.expressions(node.expressions) + self._returning(node)
        return f"JSON_QUERY({head} {wrapper} {empty} ON EMPTY {error} ON ERROR)"

    def _json_object(self, node: exp.Anonymous) -> str:
        keys, values = node.expressions[::2], node.expressions[1::2]
        pairs = [
            f"KEY {self.expression(k)} VALUE {self.expression(v)}" for k, v in zip(keys, values, strict=True)
        ]
        on_null = f"{node.args.get('on_null') or 'NULL'} ON NULL"
        inside = " ".join(part for part in (", ".join(pairs), on_null) if part)
        return f"{node.this.upper()}({inside})"

    def _json_array(self, node: exp.Anonymous) -> str:
        if not node.expressions:
            return f"{node.this.upper()}()"
        order = f" ORDER BY {self.order(node.args['order'])}" if node.args.get("order") else ""
        on_null = node.args.get("on_null") or "ABSENT"
        return f"{node.this.upper()}({self.expressions(node.expressions)}{order} {on_null} ON NULL)"


def _spelled(name: str) -> str:
    """A built-in function's name: Flink's own between backquotes as written, Calcite's in upper case."""
    upper = name.upper()
    if upper == "TRANSLATE":
        return quoted("TRANSLATE3")
    if upper in _WINDOWS:
        return f"${upper}"
    return quoted(name) if upper in BRIDGED else upper


def hint(name: str, options: tuple[tuple[str, str], ...]) -> str:
    """`/*+ NAME('key' = 'value') */`."""
    pairs = [f"{string(k)} = {string(v)}" if k else string(v) for k, v in options]
    return f"/*+ {quoted(name)}({', '.join(pairs)}) */"
