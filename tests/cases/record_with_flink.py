"""Record Flink's answers to the SELECTs of cases: run each FOLDER/case.sql and write FOLDER/flink.json.

usage: python tests/cases/record_with_flink.py FOLDER... [--parallelism 1]

Run it with Python 3.10 to 3.12 of an environment that has apache-flink 2.3, and Java 17 on PATH. It imports
nothing of Firesteel. tests/cases/script.py describes the files. Each statement ends with `;` at a line end.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SET = re.compile(r"SET\s+'([^']+)'\s*=\s*'([^']*)'", re.IGNORECASE)
_QUERY = re.compile(r"SELECT\b|WITH\b|VALUES\b|\(", re.IGNORECASE)
_CAUSE = re.compile(r"^(?:Caused by: |: )?[\w.$]+\.\w+: (.*)", re.MULTILINE)


def statements(text: str) -> Iterator[str]:
    """Yield the statements of a script, without comment lines and without the `;` at their ends."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for part in re.split(r";[ \t]*(?:\n|$)", "\n".join(lines)):
        if part.strip():
            yield part.strip()


def table(text: str) -> dict[str, Any]:
    """Return the columns and the rows of a table that Flink has printed; a row begins with its kind.

    Flink pads cells to the width of their column, by which lines are cut. A line with characters of two
    columns' width is shorter than the others, and is cut at ` | `.
    """
    lines = [line for line in text.splitlines() if line.startswith(("+-", "| "))]
    rule = next(line for line in lines if line.startswith("+-"))
    borders = [at for at, character in enumerate(rule) if character == "+"]
    rows = []
    for line in lines:
        if line.startswith("| ") and len(line) == len(rule):
            rows.append([line[a + 1 : b].strip() for a, b in itertools.pairwise(borders)])
        elif line.startswith("| "):
            rows.append([cell.strip() for cell in line[2:-2].split(" | ")])
    return {"columns": rows[0][1:], "rows": rows[1:]}


def reason(error: Exception) -> str:
    """Return the message of the innermost cause of an error of Flink."""
    text = str(error)
    causes: list[str] = _CAUSE.findall(text)
    return causes[-1] if causes else text.partition("\n")[0]


class Recorder:
    """An environment of Flink that runs the statements of one case."""

    def __init__(self, parallelism: str) -> None:
        api = importlib.import_module("pyflink.table")
        settings = api.EnvironmentSettings.new_instance().in_streaming_mode().build()
        self._environment = api.TableEnvironment.create(settings)
        self._environment.get_config().set("parallelism.default", parallelism)
        self._jvm = importlib.import_module("pyflink.java_gateway").get_gateway().jvm

    def answers(self, script: str) -> list[dict[str, Any]]:
        """Run a script and return an entry for each query: `sql`, and `columns` and `rows` or `error`."""
        found = []
        for sql in statements(script):
            if setting := _SET.fullmatch(sql):
                self._environment.get_config().set(*setting.groups())
            elif _QUERY.match(sql):
                try:
                    answer = table(self._printed(sql))
                except Exception as error:
                    answer = {"error": reason(error)}
                found.append({"sql": sql, **answer})
                print(sql, answer.get("error", f"{len(answer.get('rows', ()))} changes"), sep="\n  ")
            else:
                self._environment.execute_sql(sql)
        return found

    def _printed(self, sql: str) -> str:
        """Return what Flink prints for a query. It prints to the output of its JVM."""
        result = self._environment.execute_sql(sql)
        java, output = self._jvm.java, self._jvm.java.io.ByteArrayOutputStream()
        before = java.lang.System.out
        java.lang.System.setOut(java.io.PrintStream(output, True, "UTF-8"))
        try:
            result.print()
        finally:
            java.lang.System.setOut(before)
        return str(output.toString("UTF-8"))


def main() -> int:
    """Record the cases of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--parallelism", default="1")
    given = parser.parse_args()
    for folder in given.folders:
        script = (folder / "case.sql").read_text(encoding="utf-8").replace("${DATA}", str(folder.resolve()))
        answers = Recorder(given.parallelism).answers(script)
        (folder / "flink.json").write_text(
            json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
