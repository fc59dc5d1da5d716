"""The nodes of queries; those of expressions are listed in dialect.py."""

from __future__ import annotations

from sqlglot import exp

# ruff: noqa: RUF012 - arg_types is sqlglot's convention


class Select(exp.Expression):
    """SELECT; `source` is the FROM clause: TableName, exp.Subquery, Aliased (an alias), exp.Join, ..."""

    arg_types = {
        "hints": False,
        "distinct": False,
        "expressions": True,
        "source": False,
        "where": False,
        "group": False,
        "group_distinct": False,
        "having": False,
        "windows": False,
    }


class SetOperation(exp.Expression):
    """this UNION | EXCEPT | INTERSECT expression."""

    arg_types = {"this": True, "expression": True, "operator": True, "distinct": True}


class ValuesRows(exp.Expression):
    """VALUES (..), (..): each row an exp.Tuple."""

    arg_types = {"expressions": True}


class WithQuery(exp.Expression):
    """WITH tables: exp.CTE(this=exp.Subquery, alias=exp.Identifier, columns=[exp.Identifier])."""

    arg_types = {"tables": True, "this": True}


class Ordered(exp.Expression):
    """A query with ORDER BY (exp.Ordered), OFFSET or LIMIT."""

    arg_types = {"this": True, "order": False, "offset": False, "fetch": False}


class TableName(exp.Expression):
    """A table's name: `parts` are exp.Identifier, `hints` are Hint."""

    arg_types = {"parts": True, "hints": False}

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(str(part.this) for part in self.args["parts"])


class Aliased(exp.Expression):
    """A table or subquery under an alias, perhaps with new column names."""

    arg_types = {"this": True, "alias": True, "columns": False}


class SystemTime(exp.Expression):
    """A table FOR SYSTEM_TIME AS OF a moment."""

    arg_types = {"this": True, "moment": True}


class LateralTable(exp.Expression):
    """[LATERAL] TABLE(f(..)), or a table function named without TABLE."""

    arg_types = {"this": True, "lateral": False}


class TableArgument(exp.Expression):
    """TABLE t [PARTITION BY ..] [ORDER BY ..] as an argument."""

    arg_types = {"this": True, "partition": False, "order": False}


class OverWindow(exp.Expression):
    """The definition of a window: bounds are exp.Tuple with `side` and at most one expression."""

    arg_types = {
        "base": False,
        "partition": False,
        "order": False,
        "unit": False,
        "lower": False,
        "upper": False,
    }


class Hint(exp.Expression):
    """A hint: its name and its (key, value) pairs; the key of a bare word is empty."""

    arg_types = {"this": True, "options": False}
