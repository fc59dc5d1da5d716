"""A catalog with tables, and the shortest way from SQL to a bound plan."""

from __future__ import annotations

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.bind.statements.ddl import bind_create_table
from firesteel.bind.statements.insert import bind_insert
from firesteel.bind.statements.views import bind_create_view
from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Table
from firesteel.explain.ast import ast_line
from firesteel.explain.tree_text import whole_tree
from firesteel.plan.rel_builder import as_built
from firesteel.plan.tree import Node
from firesteel.sql import statements as sql
from firesteel.sql.parser import parse_script

TABLES = """
CREATE TABLE t (id BIGINT NOT NULL, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING,
  f BOOLEAN, ts TIMESTAMP(3), dt DATE, r ROW<a INT, n ROW<x STRING>>, arr ARRAY<INT>, mp MAP<STRING, INT>);
CREATE TABLE snk (a STRING NOT NULL, b BIGINT, c DECIMAL(10,2), d TIMESTAMP(3));
CREATE TABLE snk2 (a STRING, b BIGINT);
CREATE VIEW vw (aa, bb) AS SELECT g, SUM(v) FROM t GROUP BY g;
CREATE VIEW v2 AS SELECT g AS x, v + 1 AS y FROM t;
"""


class Session:
    """Runs definitions, binds everything else."""

    def __init__(self, script: str = TABLES) -> None:
        self.catalog = Catalog()
        for statement in parse_script(script):
            self.define(statement, script)

    def define(self, statement: sql.Statement, text: str) -> None:
        context = BindContext(self.catalog, sql=text)
        if isinstance(statement, sql.CreateTable):
            self.catalog.create(bind_create_table(statement, context))
        else:
            assert isinstance(statement, sql.CreateView)
            self.catalog.create(bind_create_view(statement, context))

    def bind(self, text: str) -> Node:
        """The plan of a query or INSERT."""
        (statement,) = parse_script(text)
        context = BindContext(self.catalog, sql=text)
        if isinstance(statement, sql.Insert):
            return bind_insert(statement, context)
        assert isinstance(statement, sql.Query)
        return bind_query(statement.query, context)

    def tree(self, text: str) -> str:
        """The plan as EXPLAIN's abstract syntax tree shows it."""
        return whole_tree(as_built(self.bind(text)), ast_line)

    def table(self, text: str) -> Table:
        """The table that a CREATE TABLE defines."""
        (statement,) = parse_script(text)
        assert isinstance(statement, sql.CreateTable)
        return bind_create_table(statement, BindContext(self.catalog, sql=text))
