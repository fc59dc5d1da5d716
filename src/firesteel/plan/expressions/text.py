"""Text of expressions in Flink's plans.

There are three dialects. The AST has `$n` for columns and `CAST($2):BIGINT`. The physical plan has names,
prefix operators and full types. The execution plan has names, infix operators and plain literals. Calcite:
RexCall.computeDigest, RexLiteral.computeDigest; Flink: FlinkRelNode.getExpressionString.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.literal_text import literal_text, names_itself, plain_literal_text
from firesteel.plan.expressions.operations import NULL_AS_FALSE, NULL_AS_TRUE, search_ranges
from firesteel.plan.expressions.over import OVER, over_of
from firesteel.plan.expressions.over_text import over_text
from firesteel.plan.expressions.type_text import nested_type_text, time_type_text, type_text
from firesteel.types.primitive_text import double_text
from firesteel.types.sql import APPROXIMATE, TypeRoot

BINARY = frozenset({"=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/"})
"""Operators of two operands. A literal beside an operand of its own type is printed without the type."""

INFIX = frozenset({*BINARY, "/INT", "AND", "OR"})
POSTFIX = frozenset({"IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"})

_SPELLING = {"!=": "<>", "%": "MOD", "TRANSLATE": "TRANSLATE3"}

VERBATIM = "$TEXT"
"""Function name of a call that plans print as the text in its first option."""

Printer = Callable[[Expr], str]


_WITHOUT_PARENTHESES = frozenset(
    ["CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP"]
)
"""Functions that Calcite prints without parentheses (syntax FUNCTION_ID)."""


@from_below
def ast_text(expr: Expr) -> str:
    """Return the text of an expression in the abstract syntax tree."""
    if isinstance(expr, InputRef):
        return f"${expr.index}"
    if isinstance(expr, Literal):
        return literal_text(expr)
    if expr.function == "CAST":
        return f"CAST({ast_text(expr.args[0])}):{_cast_type(expr, type_text(expr.type))}{_not_null(expr)}"
    if expr.function == "SEARCH":
        return f"SEARCH({ast_text(expr.args[0])}, {_sarg(expr, digest=True)})"
    if expr.function in _WITHOUT_PARENTHESES:
        return expr.function
    if expr.function == VERBATIM:
        return expr.options[0]
    if expr.function == "$COR":
        return f"{expr.options[0]}.{expr.options[1]}"
    if expr.function == OVER:
        return over_text(over_of(expr), ast_text)
    if expr.depth > _DEEP and expr.function in INFIX:
        return _chain_text(expr, lambda call, i: _digest_argument(call, i, ast_text))
    args = [_digest_argument(expr, i, ast_text) for i in range(len(expr.args))]
    return _prefix(expr, args, flag="FLAG({})")


def prefix_text(expr: Expr, names: Sequence[str]) -> str:
    """Return the text of an expression in the physical plan."""

    @from_below
    def text(e: Expr) -> str:
        if isinstance(e, InputRef):
            return names[e.index]
        if isinstance(e, Literal):
            return literal_text(e)
        if e.function in ("CAST", "TRY_CAST"):
            kind = _cast_type(e, type_text(e.type))
            (value,) = e.args
            given = text(value)
            # A filter such as `ts = TIMESTAMP '2024-01-01 00:00:00'` fixes a time attribute to one value. The
            # planner then replaces the attribute by a cast of the literal. Plans print the cast's type twice:
            # CAST(2024-01-01 00:00:00:TIMESTAMP(3) *ROWTIME* AS TIMESTAMP(3) *ROWTIME*)
            if e.options and isinstance(value, Literal):
                given = f"{literal_text(value, with_type=False)}:{kind}"
            return f"{e.function}({given} AS {kind}{_not_null(e)})"
        if e.function == "SEARCH":
            return f"SEARCH({text(e.args[0])}, {_sarg(e, digest=True)})"
        if e.depth > _DEEP and e.function in INFIX:
            return _chain_text(e, lambda call, i: text(call.args[i]))
        return _prefix(e, [text(arg) for arg in e.args], flag="FLAG({})")

    return text(expr)


def infix_text(expr: Expr, names: Sequence[str]) -> str:
    """Return the text of an expression in the execution plan."""

    @from_below
    def text(e: Expr) -> str:
        if isinstance(e, InputRef):
            return names[e.index]
        if isinstance(e, Literal):
            return plain_literal_text(e)
        if e.function in ("CAST", "TRY_CAST"):
            return f"{e.function}({text(e.args[0])} AS {_cast_type(e, nested_type_text(e.type))})"
        if e.function == "SEARCH":
            return f"SEARCH({text(e.args[0])}, {_sarg(e, digest=False)})"
        args = [text(arg) for arg in e.args]
        if e.function in POSTFIX:
            return f"{args[0]} {e.function}"
        if e.function in INFIX and len(args) > 1:
            return f"({f' {_SPELLING.get(e.function, e.function)} '.join(args)})"
        return _prefix(e, args, flag="{}")

    return text(expr)


def _cast_type(cast: Call, text: str) -> str:
    """Return the target type of a cast as plans print it.

    For a cast to a time attribute, it is the type with a mark: `TIMESTAMP(3) *ROWTIME*`. For other casts, it
    is `text`.
    """
    mark = cast.options and cast.options != ("TIMESTAMP",)
    return f"{time_type_text(cast.type)} *{cast.options[0]}*" if mark else text


def _not_null(cast: Call) -> str:
    return " NOT NULL" if cast.options and not cast.type.nullable else ""


_DEEP = 8
"""Greatest depth of an expression whose calls of infix operators are printed by recursion.

`_chain_text` prints deeper calls, such as an OR of hundreds of ORs, in one loop. Recursion copies the text of
the inner calls again at each level, so its time grows with the square of the depth.
"""


def _chain_text(call: Call, argument: Callable[[Call, int], str]) -> str:
    """Return the text of nested calls of one operator: `OR(OR(OR(a, b), c), d)`.

    `argument(call, i)` returns the text of an argument of one of the calls.
    """
    name, tail = call.function, []
    opening = f"{_SPELLING.get(name, name)}("
    count = 1
    while True:
        tail.append("".join([", " + argument(call, i) for i in range(1, len(call.args))]) + ")")
        first = call.args[0]
        if not isinstance(first, Call) or first.function != name:
            break
        call, count = first, count + 1
    return opening * count + argument(call, 0) + "".join(reversed(tail))


FLAG_FIRST = frozenset({"TRIM", "EXTRACT", "JSON_OBJECT", "JSON_ARRAY"})
FLAG_LAST = frozenset({"FLOOR", "CEIL", "CEILING", "JSON_QUERY", "JSON_EXISTS"})


def _prefix(call: Call, args: list[str], flag: str) -> str:
    """Return the text `NAME(a, b)` of a call.

    Options, such as a time unit or the side of TRIM, are printed before the arguments (FLAG_FIRST), after
    them (FLAG_LAST), or between them (JSON_VALUE). Options of other functions are not printed:

        TRIM(FLAG(BOTH), a, b)        FLOOR(a, FLAG(DAY))

    Args:
        call: The call.
        args: Texts of the call's arguments.
        flag: Format string for an option, such as `FLAG({})`.
    """
    if call.function == "ITEM_FIELD":
        return f"{args[0]}.{call.options[0]}"
    if call.function == "$COR":
        return f"{call.options[0]}.{call.options[1]}"
    name = _SPELLING.get(call.function, call.function)
    flags = [flag.format(option) for option in call.options]
    if name in FLAG_FIRST:
        args = [*flags, *args]
    elif name in FLAG_LAST:
        args = [*args, *flags]
    elif name == "JSON_VALUE":
        args = _with_clauses(args, call.options, flags)
    return f"{name}({', '.join(args)})"


def _with_clauses(args: list[str], options: Sequence[str], flags: list[str]) -> list[str]:
    """Return the argument texts of a JSON_VALUE call as plans print them: document, path, clauses.

    ON EMPTY and ON ERROR may each have a DEFAULT, which the text of the default value follows:

        args (doc, path, 'x'), options (DEFAULT, EMPTY)   ->   doc, path, FLAG(DEFAULT), 'x', FLAG(EMPTY)

    Args:
        args: Texts of the call's arguments: JSON document, path, and the default values in the order of the
            clauses.
        options: Words of the ON EMPTY and ON ERROR clauses.
        flags: Text of each option in plans.
    """
    defaults = iter(args[2:])
    shown = args[:2]
    for option, text in zip(options, flags, strict=True):
        shown += [text, next(defaults)] if option == "DEFAULT" else [text]
    return shown


def _digest_argument(call: Call, position: int, text: Printer) -> str:
    """Return the text of an argument in a call's digest. A literal omits its type if the call implies it."""
    arg = call.args[position]
    if not isinstance(arg, Literal):
        return text(arg)
    if call.function in ("AND", "OR"):
        return literal_text(arg, with_type=False)
    if call.function in BINARY and len(call.args) == 2:
        other = call.args[1 - position]
        if not isinstance(other, Literal) and arg.type.same_as(other.type):
            return literal_text(arg, with_type=False)
    return text(arg)


def _sarg(search: Call, digest: bool) -> str:
    bound_type = search.args[1].type
    texts = [_range_text(option, bounds, digest) for option, bounds in search_ranges(search)]
    inner = ", ".join(texts)
    for null in (NULL_AS_TRUE, NULL_AS_FALSE):
        if null in search.options:
            inner += f"; {null}"
    if not digest:
        return f"Sarg[{inner}]"
    suffix = "" if names_itself(bound_type) else f":{type_text(bound_type.with_nullable(True))}"
    return f"Sarg[{inner}]{suffix}"


def _bound_text(bound: Literal, digest: bool) -> str:
    """Return the text of a bound of a SEARCH range, as Calcite prints the bound's Java value.

    Args:
        bound: The bound.
        digest: True for the AST and the physical plan: the type is printed unless the value implies it, and
            a BIGINT has an L (`5L:BIGINT`). False for the execution plan: the type is not printed, and a
            FLOAT or DOUBLE is printed as Java's BigDecimal prints it.
    """
    if digest:
        text = literal_text(bound)
        return text.replace(":", "L:", 1) if bound.type.root is TypeRoot.BIGINT else text
    if bound.type.root in APPROXIMATE and isinstance(bound.value, float):
        return str(Decimal(double_text(bound.value)))
    if bound.type.root in APPROXIMATE and isinstance(bound.value, Decimal):
        return str(bound.value)
    return literal_text(bound, with_type=False)


def _range_text(option: str, bounds: tuple[Expr, ...], digest: bool) -> str:
    texts = [_bound_text(b, digest) for b in bounds if isinstance(b, Literal)]
    if option == "=":
        return texts[0]
    if len(texts) == 2:
        return f"{option[0]}{texts[0]}..{texts[1]}{option[-1]}"
    closed = option.endswith("=")
    if option.startswith("<"):
        return f"(-∞..{texts[0]}{']' if closed else ')'}"
    return f"{'[' if closed else '('}{texts[0]}..+∞)"
