"""Compilation of comparisons, three-valued logic and CASE with Flink's results.

An operand of AND and OR that may fail is evaluated only if the operands before it do not decide, as in
Flink's generated code. DuckDB alone evaluates all operands of a projected AND.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.duckdb.compile.array_comparison import compared_arrays
from firesteel.functions.duckdb.compile.chains import LONG, alike, over_list
from firesteel.functions.duckdb.compile.maps import compared_maps
from firesteel.functions.duckdb.compile.text import Compiler, Emit, cast_text, quoted
from firesteel.functions.duckdb.compile.times.comparison import compared_in_micros, differ_in_unit
from firesteel.functions.duckdb.compile.variant import equality_operands
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import remembered
from firesteel.types import sql
from firesteel.types.coerce import common_type
from firesteel.types.decimals import digits
from firesteel.types.sql import APPROXIMATE, CHARACTER, INTEGER_BITS, INTEGERS, SqlType, TypeRoot, decimal

_JAVA = {"=": "java_eq", "<>": "java_ne", "<": "java_lt", "<=": "java_le", ">": "java_gt", ">=": "java_ge"}
_NEVER_FAIL = frozenset(
    {
        *(
            *_JAVA,
            "AND",
            "OR",
            "IN",
            "NOT",
            "CASE",
            "COALESCE",
            "IF",
            "IS NULL",
            "IS NOT NULL",
            "IS TRUE",
            "IS FALSE",
        ),
        *("IS NOT TRUE", "IS NOT FALSE", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "+", "-", "*", "||"),
        *("UPPER", "LOWER", "CHAR_LENGTH", "ABS", "LIKE", "TRIM", "SUBSTRING", "ITEM_FIELD"),
    }
)


@remembered
def may_fail(expr: Expr) -> bool:
    """Return whether evaluating the expression may raise an error."""
    if not isinstance(expr, Call):
        return False
    if expr.function in ("MOD", "/"):
        divisor = expr.args[1]
        safe = expr.type.root in APPROXIMATE or (isinstance(divisor, Literal) and bool(divisor.value))
        return not safe or any(map(may_fail, expr.args))
    if expr.function == "CAST" and _widens(expr.args[0].type, expr.type):
        return may_fail(expr.args[0])
    return expr.function not in _NEVER_FAIL or any(map(may_fail, expr.args))


def _widens(kind: SqlType, target: SqlType) -> bool:
    """Return whether the target type holds every number of the source type, apart from fraction digits."""
    if not kind.is_integer:
        return kind.same_as(target) or (kind.is_numeric and target.root is TypeRoot.DOUBLE)
    if target.is_integer:
        return INTEGER_BITS[kind.root] <= INTEGER_BITS[target.root]
    return target.root in APPROXIMATE


def comparison(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    if left == right:  # Calcite reduces x = x to a test for NULL, even for a NaN.
        decided = "TRUE" if call.function in ("=", "<=", ">=") else "FALSE"
        return f"(CASE WHEN {compiler(left)} IS NOT NULL THEN {decided} END)"
    return compared(call.function, (compiler(left), left), (compiler(right), right), compiler)


def compared(operator: str, left: tuple[str, Expr], right: tuple[str, Expr], compiler: Compiler) -> str:
    """Return the SQL that compares two operands, each given as its SQL and its expression."""
    (a, x), (b, y) = left, right
    kind, other = x.type, y.type
    if kind.root in (TypeRoot.VARIANT, TypeRoot.BITMAP):
        a, b = equality_operands(compiler, x, y)
    if kind.is_numeric and other.is_numeric:
        return _numeric(operator, (a, x), (b, y), compiler)
    if kind.is_character and other.is_datetime:
        a, kind = _as_moment(compiler, a, x, other), other
    elif kind.is_datetime and other.is_character:
        b, other = _as_moment(compiler, b, y, kind), kind
    elif kind.is_character and other.root is TypeRoot.BOOLEAN:
        b, other = compiler.cast(b, other, sql.STRING), sql.STRING
    elif kind.root is TypeRoot.BOOLEAN and other.is_character:
        a, kind = compiler.cast(a, kind, sql.STRING), sql.STRING
    if kind.root is not other.root and kind.is_datetime and other.is_datetime:
        target = common_type([kind, other], widest=True)
        if target is not None:
            wanted = [target, target]
            if differ_in_unit(kind, other):
                wanted = [replace(target, precision=k.precision) for k in (kind, other)]
            a, b = compiler.cast(a, kind, wanted[0]), compiler.cast(b, other, wanted[1])
            kind, other = wanted
    if differ_in_unit(kind, other):
        return compared_in_micros(operator, a, kind, b, other)
    if kind.is_character and other.is_character and operator not in ("=", "<>") and _beyond_plane(x, y):
        return f"({compiler.python('strings.compare_utf16', [(a, kind), (b, other)], sql.INT)} {operator} 0)"
    if kind.root is TypeRoot.ROW and operator in ("=", "<>"):
        return _rows(operator, a, b, kind, other, compiler)
    if kind.root is TypeRoot.ARRAY and other.root is TypeRoot.ARRAY and operator in ("=", "<>"):
        return compared_arrays(operator, (a, x), (b, y), compiler.exchanged)
    if kind.root is TypeRoot.MAP and other.root is TypeRoot.MAP and operator in ("=", "<>"):
        return compared_maps(compiler, operator, (a, kind), (b, other))
    return f"({a} {operator} {b})"


def _as_moment(compiler: Compiler, text: str, string: Expr, kind: SqlType) -> str:
    """Return the SQL of a string, cast to a date or time for a comparison.

    An invalid literal is an error. Any other invalid string becomes NULL.
    """
    return compiler.cast(text, string.type, kind, attempt=not isinstance(string, Literal))


def _beyond_plane(left: Expr, right: Expr) -> bool:
    """Return whether Java's order of strings by UTF-16 units may differ from DuckDB's order by bytes.

    The orders only differ between characters beyond U+FFFF and those from U+E000 to U+FFFF. So they are the
    same if one of the operands is a literal of characters below U+E000.
    """
    for operand in (left, right):
        if isinstance(operand, Literal) and max(str(operand.value or ""), default="") < "\ue000":
            return False
    return True


def _rows(operator: str, a: str, b: str, kind: SqlType, other: SqlType, compiler: Compiler) -> str:
    """Return the SQL that compares rows. Rows are equal if all fields are equal or both NULL."""
    target = common_type([kind, other])
    if target is not None:
        a, b = f"CAST({a} AS {compiler.type_name(target)})", f"CAST({b} AS {compiler.type_name(target)})"
    return f"({a} {operator} {b})"


def _numeric(operator: str, left: tuple[str, Expr], right: tuple[str, Expr], compiler: Compiler) -> str:
    (a, x), (b, y) = left, right
    roots = {x.type.root, y.type.root}
    if TypeRoot.DECIMAL in roots and roots & set(APPROXIMATE) and operator not in ("=", "<>"):
        # Flink orders a DECIMAL and a DOUBLE by Double.compare: -0.0 is less than 0.0, and NaN is greatest.
        a, b = f"in_total_order({a}::DOUBLE)", f"in_total_order({b}::DOUBLE)"
        return f"({a} {operator} {b})"
    if roots & set(APPROXIMATE):
        target = _approximate(roots)
        a, b = cast_text(a, x.type, target), cast_text(b, y.type, target)
        unsafe = all if operator in ("=", "<>") else any  # = with one NaN is FALSE in DuckDB, too.
        if not unsafe(map(_may_be_nan, (x, y))):
            return f"({a} {operator} {b})"
        return f"{_JAVA[operator]}({a}, {b})"
    if TypeRoot.DECIMAL not in roots:
        return f"({a} {operator} {b})"
    (p1, s1), (p2, s2) = digits(x.type), digits(y.type)
    width = max(p1 - s1, p2 - s2) + max(s1, s2)
    if width > 38:
        operands = [
            (cast_text(t, e.type, decimal(*digits(e.type))), decimal(*digits(e.type)))
            for t, e in (left, right)
        ]
        return f"({compiler.python('decimals.compare', operands, sql.INT)} {operator} 0)"
    common = decimal(width, max(s1, s2))
    return f"({cast_text(a, x.type, common)} {operator} {cast_text(b, y.type, common)})"


def _approximate(roots: set[TypeRoot]) -> SqlType:
    """Return the type in which Java compares: FLOAT for FLOAT and integers, else DOUBLE."""
    if roots <= {TypeRoot.FLOAT, *INTEGERS}:
        return sql.FLOAT
    return sql.DOUBLE


def _may_be_nan(expr: Expr) -> bool:
    return expr.type.root in APPROXIMATE and not (isinstance(expr, Literal) and expr.value == expr.value)


def _distinct(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    a, b = compiler(left), compiler(right)
    equal = compared("=", (a, left), (b, right), compiler)
    text = f"(CASE WHEN {a} IS NULL OR {b} IS NULL THEN {a} IS NULL AND {b} IS NULL ELSE {equal} END)"
    return text if call.function == "IS NOT DISTINCT FROM" else f"(NOT {text})"


def condition(compiler: Compiler, expr: Expr) -> str:
    """Return the SQL of a filter's condition, where UNKNOWN may become FALSE."""
    if isinstance(expr, Call) and expr.function == "OR":
        return _junction(compiler, expr, filters=True)
    return compiler(expr)


def _junction(compiler: Compiler, call: Call, filters: bool = False) -> str:
    """Return the SQL of AND or OR.

    From the first operand that may fail, operands are tested one by one in the branches of one CASE. Nested
    CASEs would be too deep for DuckDB's parser. If no operand decides and one is UNKNOWN, the result is
    UNKNOWN, or FALSE if `filters` is set.
    """
    careful = next((i for i, arg in enumerate(call.args) if i and may_fail(arg)), None)
    if careful is None:
        return _balanced(call.function, _never_failing(compiler, call, filters))
    texts = [compiler(a) for a in call.args]
    decisive, other, test = ("FALSE", "TRUE", "NOT ") if call.function == "AND" else ("TRUE", "FALSE", "")
    last = max(i for i, arg in enumerate(call.args) if may_fail(arg)) + 1
    together = [slice(careful), *(slice(i, i + 1) for i in range(careful, last)), slice(last, None)]
    branches, unknown = [], []
    for part in together:
        if texts[part]:
            text = _balanced(call.function, texts[part])
            branches.append(f"WHEN {test}{text} THEN {decisive}")
            unknown += [f"({text} IS NULL)"] if any(a.type.nullable for a in call.args[part]) else []
    if unknown and not filters:
        branches.append(f"WHEN {_balanced('OR', unknown)} THEN NULL")
    return f"(CASE {' '.join(branches)} ELSE {other} END)"


def _never_failing(compiler: Compiler, call: Call, filters: bool) -> list[str]:
    """Return the SQL of the operands of an AND or OR, in any order, since none of them can fail.

    If there are at least LONG operands, those that differ in one literal become one SQL text (chains.py).
    """
    if len(call.args) < LONG:
        return [compiler(arg) for arg in call.args]
    kept, lists = alike(call.args)
    return [*map(compiler, kept), *(over_list(compiler, call.function, *each, filters) for each in lists)]


def _balanced(operator: str, texts: list[str]) -> str:
    """Return a balanced tree of the operands, since DuckDB's parser supports some hundred levels."""
    while len(texts) > 1:
        pairs = zip(texts[::2], texts[1::2], strict=False)
        texts = [f"({a} {operator} {b})" for a, b in pairs] + texts[len(texts) // 2 * 2 :]
    return texts[0]


def _not(compiler: Compiler, call: Call) -> str:
    return f"(NOT {compiler(call.args[0])})"


def _test(compiler: Compiler, call: Call) -> str:
    if call.function in ("IS NULL", "IS NOT NULL") and takes_no_null(call.args[0]):
        return "FALSE" if call.function == "IS NULL" else "TRUE"
    return f"({compiler(call.args[0])} {call.function})"


def takes_no_null(expr: Expr) -> bool:
    """Return whether `expr` is an array element or map value that Flink takes as non-NULL even if missing.

    Flink: ScalarOperatorGens (generateArrayElementAt, generateMapGet).
    """
    if not isinstance(expr, Call) or expr.function != "ITEM":
        return False
    container, key = expr.args
    if container.type.root not in (TypeRoot.ARRAY, TypeRoot.MAP) or container.type.children[-1].nullable:
        return False
    return not (isinstance(key, Literal) and key.value is None)


def _case(compiler: Compiler, call: Call) -> str:
    parts = []
    for i in range(0, len(call.args) - 1, 2):
        when, then = call.args[i], call.args[i + 1]
        parts.append(f"WHEN {compiler(when)} THEN {compiler.cast(compiler(then), then.type, call.type)}")
    default = call.args[-1]
    return f"(CASE {' '.join(parts)} ELSE {compiler.cast(compiler(default), default.type, call.type)} END)"


def _coalesce(compiler: Compiler, call: Call) -> str:
    texts = [compiler.cast(compiler(a), a.type, call.type) for a in call.args]
    if len(texts) == 1:
        return texts[0]
    if not any(map(may_fail, call.args)):
        return f"coalesce({', '.join(texts)})"
    first = call.args[0]
    rest = texts[1] if len(texts) == 2 else f"coalesce({', '.join(texts[1:])})"
    if isinstance(first, (InputRef, Literal)) or not may_fail(first):
        return f"(CASE WHEN {texts[0]} IS NOT NULL THEN {texts[0]} ELSE {rest} END)"
    return f"coalesce({', '.join(texts)})"


def _like(compiler: Compiler, call: Call) -> str:
    """Return the SQL of LIKE.

    DuckDB's LIKE evaluates a literal pattern without `_`. A literal pattern with `_` becomes a regular
    expression, because in Flink `_` does not match a line end. Python evaluates other patterns, and ESCAPE.
    """
    pattern = call.args[1]
    if len(call.args) > 2 or not isinstance(pattern, Literal):
        return compiler.call_python("patterns.like", call)
    text, value = compiler(call.args[0]), pattern.value
    if not isinstance(value, str) or "_" not in value:
        return f"({text} LIKE {compiler(pattern)})"
    return f"regexp_full_match({text}, {quoted(''.join(map(_regular, value)))})"


def _regular(letter: str) -> str:
    """Return the regular expression for a character of a LIKE pattern, which may be a wildcard."""
    special = {"%": "(?s:.*)", "_": r"[^\n\r\x{85}\x{2028}\x{2029}]"}.get(letter)
    return special or (letter if letter.isalnum() else f"\\x{{{ord(letter):x}}}")


def _trim(compiler: Compiler, call: Call) -> str:
    return compiler.call_python(f"strings.trim_{call.options[0].lower()}", call)


_HASHED = frozenset({*INTEGERS, *APPROXIMATE, *CHARACTER, TypeRoot.DECIMAL})
_MOST_LISTED = 64
"""Maximum number of values of an IN that DuckDB searches as a list. More values become a hash set."""


def _in(compiler: Compiler, call: Call) -> str:
    """Return the SQL of an IN with literals (compile/membership.py): a list, or a set if there are many."""
    operand, *items = call.args
    if len(items) > _MOST_LISTED and operand.type.root in _HASHED:
        return compiler.is_one_of(operand, [item.value for item in items if isinstance(item, Literal)])
    value, texts = compiler(operand), [compiler(item) for item in items]
    found = f"list_contains([{', '.join(texts)}], {value})"
    return f"(CASE WHEN {value} IS NOT NULL THEN {found} END)" if call.type.nullable else found


def _concat(compiler: Compiler, call: Call) -> str:
    return f"({' || '.join(map(compiler, call.args))})"


EMIT: dict[str, Emit] = {
    "||": _concat,
    "TRIM": _trim,
    **dict.fromkeys(_JAVA, comparison),
    "IS DISTINCT FROM": _distinct,
    "IS NOT DISTINCT FROM": _distinct,
    "AND": _junction,
    "OR": _junction,
    "IN": _in,
    "NOT": _not,
    "CASE": _case,
    "COALESCE": _coalesce,
    "IFNULL": _coalesce,
    "IF": _case,
    "LIKE": _like,
    **dict.fromkeys(["IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"], _test),
}
