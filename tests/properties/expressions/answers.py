"""What Firesteel answers for the expressions of a record: planned as a SELECT is, run without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.changelog import field
from firesteel.errors import FiresteelError, InternalError, JobError, NotSupportedError
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import expand_search
from firesteel.plan.nodes.physical import Calc as CalcNode
from firesteel.plan.nodes.physical import TableSourceScan
from firesteel.plan.tree import Node
from firesteel.rules import optimize
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.sql.parser import parse_query
from firesteel.types.text import render
from tests.formats.decoding import decode
from tests.properties.expressions.family import Family
from tests.rules.planning import tables
from tests.types.columns import changes

Answer = dict[str, Any]


class Record:
    """Flink's answers to expressions over one table, as record.py wrote them."""

    def __init__(self, path: Path) -> None:
        held = json.loads(path.read_text(encoding="utf-8"))
        self.name: str = held["family"]
        self.asked = Family(held["columns"], held["rows"], lambda _: "", held["time_zone"])
        self.answers: list[Answer] = held["answers"]
        self._catalog = tables(
            f"CREATE TABLE t (id INT, {self.asked.schema}) WITH ('connector' = 'filesystem', "
            "'path' = '/t', 'format' = 'json');"
        )
        self._rows = self._decoded()

    def difference(self, flink: Answer) -> str | None:
        """How Firesteel's answer to the expression differs from Flink's; None where it does not."""
        try:
            kind, cells = self.evaluate(flink["sql"])
        except NotSupportedError as error:
            return f"not supported: {error}"
        except InternalError as error:
            return f"a bug: {error}"
        except FiresteelError as error:
            at_run_time = isinstance(error, JobError)
            if "cells" in flink or ("refused" in flink and at_run_time):
                return f"{type(error).__name__}: {error}"
            return None
        except Exception as error:  # must never reach a user
            return f"a raw error: {type(error).__name__}: {error}"
        if "cells" not in flink:
            return f"accepted, {kind}: {cells}; Flink: {flink.get('refused') or flink.get('failed')}"
        if kind != flink["type"]:
            return f"type {kind}, in Flink {flink['type']}"
        wrong = [i for i, cell in enumerate(flink["cells"]) if cells[i] != cell]
        shown = "; ".join(f"row {i}: {cells[i]!r}, in Flink {flink['cells'][i]!r}" for i in wrong[:3])
        return f"{len(wrong)} rows: {shown}" if wrong else None

    def evaluate(self, expression: str) -> tuple[str, list[str]]:
        """The expression's type and its cells; raises FiresteelError."""
        zone = self.asked.time_zone
        bound, physical = self._planned(f"SELECT {expression} FROM t")
        kind = bound.schema[0].type
        if isinstance(physical, TableSourceScan):
            scan, exprs = physical, (InputRef(0, kind),)
        else:
            assert isinstance(physical, CalcNode)
            assert isinstance(physical.input, TableSourceScan)
            scan, exprs = physical.input, physical.exprs
        positions = scan.project if scan.project is not None else range(len(scan.schema))
        exprs = tuple(expand_search(expr, lists=True) for expr in exprs)
        read = [f.type for f in scan.schema]
        spec = compile_calc(exprs, None, read, [kind], time_zone=zone, exchanged=False)
        head, columns = self._rows.column_names[:2], self._rows.column_names[2:]
        read = self._rows.select([*head, *(columns[i] for i in positions)])
        read = read.rename_columns([*head, *map(field, range(len(positions)))])
        return str(kind), render(Calc(spec).process(read).column(2), kind, zone)

    def refusal(self, expression: str) -> str | None:
        """The message with which Firesteel refuses the expression."""
        try:
            self.evaluate(expression)
        except FiresteelError as error:
            return error.args[0] if error.args else str(error)
        return None

    def _planned(self, sql: str) -> tuple[Node, Node]:
        context = BindContext(self._catalog, time_zone=self.asked.time_zone, sql=sql)
        bound = bind_query(parse_query(sql).query, context)
        return bound, optimize(bound, {"table.local-time-zone": self.asked.time_zone}, True)

    def _decoded(self) -> pa.Table:
        bound, _ = self._planned("SELECT * FROM t")
        schema = {f.name: f.type for f in bound.schema}
        lines = [json.dumps({"id": i, **row}) for i, row in enumerate(self.asked.rows)]
        decoded = decode("json", schema, "\n".join(lines) + "\n")
        return changes(
            {name: (kind, decoded.column(i + 1).to_pylist()) for i, (name, kind) in enumerate(schema.items())}
        )
