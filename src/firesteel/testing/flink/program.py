"""Program that Flink's Python runs: it executes requests on Flink and writes an answer for each of them.

usage: python program.py TASK.json ANSWERS.jsonl

The task has `jars`, `options` and `requests`. A request has `do` and `sql`:

    run     execute a statement
    plan    execute an EXPLAIN and return its text
    rows    execute a query and return its changes
    set     set the option `key` to `value`
    reset   reset the option `key`, or all options if it is null

The first line of the answers is `{"version": ..}`. Then each request has a line: `{"plan": ..}`,
`{"rows": [[kind, cell, ...]]}` or, for other requests, `{}`. It is `{"error": ..}` if the request fails. The
program imports nothing of Firesteel: Flink's Python does not have it.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import sys
from pathlib import Path
from typing import Any

_CAUSE = re.compile(r"^(?:Caused by: |: )?[\w.$]+\.\w+(?:Exception|Error): (.*)", re.MULTILINE)
_KINDS = ("+I", "-U", "+U", "-D")
"""Row kinds by Flink's ordinals."""
_WIDTH = 30
"""Maximum width of the columns when Flink prints a table, from which only the row kinds are read."""


class Flink:
    """A session of Flink.

    Args:
        jars: Paths of jars with connectors and formats.
        options: Options to set, by key.
    """

    def __init__(self, jars: list[str], options: dict[str, str]) -> None:
        api = importlib.import_module("pyflink.table")
        settings = api.EnvironmentSettings.new_instance().in_streaming_mode().build()
        self._environment = api.TableEnvironment.create(settings)
        config = self._environment.get_config()
        own = {"parallelism.default": "1", "python.executable": sys.executable}
        if jars:
            own["pipeline.jars"] = ";".join(Path(jar).resolve().as_uri() for jar in jars)
        for key, value in {**options, **own, "python.client.executable": sys.executable}.items():
            config.set(key, value)
        self._jvm = importlib.import_module("pyflink.java_gateway").get_gateway().jvm

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Execute a request and return its answer."""
        do, sql = request["do"], request.get("sql", "")
        try:
            if do == "plan":
                return {"plan": self._plan(sql)}
            if do == "rows":
                return {"rows": self._rows(sql)}
            if do == "set":
                self._environment.get_config().set(request["key"], request["value"])
            elif do == "reset":
                self._reset(request["key"])
            else:
                self._environment.execute_sql(sql)
        except Exception as error:
            return {"error": reason(error)}
        return {}

    def _reset(self, key: str | None) -> None:
        options = self._environment.get_config()._j_table_config.getConfiguration()
        for each in [key] if key is not None else list(options.keySet()):
            options.removeKey(each)

    def _plan(self, sql: str) -> str:
        with self._environment.execute_sql(sql).collect() as rows:
            return "\n".join(str(row[0]) for row in rows)

    def _rows(self, sql: str) -> list[list[str]]:
        """Return the changes of a query: the row kind, and the cells as Flink's client prints them."""
        result = self._environment.execute_sql(sql)._j_table_result
        iterator = result.collectInternal()
        try:
            rows = self._jvm.org.apache.flink.util.CollectionUtil.iteratorToList(iterator)
        finally:
            iterator.close()
        converter = result.getRowDataToStringConverter()
        styles = self._jvm.org.apache.flink.table.utils.print.PrintStyle
        schema = result.getResolvedSchema()
        tableau = styles.tableauWithDataInferredColumnWidths(schema, converter, _WIDTH, False, True)
        cells = self._printed(styles.rawContent(converter), rows)
        kinds = [line[2:4] for line in self._printed(tableau, rows) if line.startswith("| ")][1:]
        if (found := split_rows(kinds, cells, rows.size(), schema.getColumnCount())) is not None:
            return found
        return [[_KINDS[row.getRowKind().ordinal()], *converter.convert(row)] for row in rows]

    def _printed(self, style: Any, rows: Any) -> list[str]:
        """Return the lines that Flink prints for rows.

        All rows are printed in one call of the JVM, because a call for each row takes long.

        Args:
            style: Flink's PrintStyle: as a table with frames, or one line a row with the cells only.
            rows: Java list of the rows.
        """
        text = self._jvm.java.io.StringWriter()
        style.print(rows.iterator(), self._jvm.java.io.PrintWriter(text, True))
        lines: list[str] = text.toString().split("\n")
        return lines[:-1]


def split_rows(kinds: list[str], lines: list[str], rows: int, columns: int) -> list[list[str]] | None:
    """Return each row that Flink printed as its row kind and cells.

    Return None if the number of lines or of cells is wrong, because a cell contains ", " or a line end.

    Args:
        kinds: The row kind of each row.
        lines: The cells of each row, separated by a comma and a blank.
        rows: Number of rows.
        columns: Number of columns.
    """
    if not len(kinds) == len(lines) == rows:
        return None
    found = [line.split(", ") if columns > 1 else [line] for line in lines]
    if any(len(cells) != columns for cells in found):
        return None
    return [[kind, *cells] for kind, cells in zip(kinds, found, strict=True)]


def reason(error: Exception) -> str:
    """Return the message of the innermost cause of an error of Flink."""
    text = str(error)
    causes: list[str] = _CAUSE.findall(text)
    return causes[-1] if causes else text.partition("\n")[0]


def main() -> int:
    """Answer the requests of a task, and return the exit status 0."""
    del sys.path[0]  # this file's folder: its requests.py would hide another package
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with Path(sys.argv[2]).open("w", encoding="utf-8") as answers:

        def write(answer: dict[str, Any]) -> None:
            answers.write(json.dumps(answer, ensure_ascii=True) + "\n")
            answers.flush()

        write({"version": importlib.metadata.version("apache-flink")})
        flink = Flink(task["jars"], task["options"])
        for request in task["requests"]:
            write(flink.answer(request))
    return 0


if __name__ == "__main__":
    sys.exit(main())
