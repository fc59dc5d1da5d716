"""Ask Flink for random expressions. Runs in a Python with apache-flink 2.3 and imports nothing of Firesteel:
python -m tests.properties.expressions.record FAMILY --seed 1 --count 2000 --out FILE [--only EXPRESSIONS]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.properties.expressions.family import Family, family

TOGETHER = 40
"""Expressions in one SELECT; where it fails it is halved until the one that fails stands alone."""

Answer = dict[str, Any]


class Flink:
    """A cluster in this process and a table `t` of the family's rows."""

    def __init__(self, asked: Family, folder: Path) -> None:
        from pyflink.java_gateway import get_gateway
        from pyflink.table import EnvironmentSettings, TableEnvironment

        runtime = get_gateway().jvm.org.apache.flink
        conf = runtime.configuration.Configuration()
        conf.setString("rest.port", "0")
        conf.setString("rest.bind-port", "0")
        builder = runtime.runtime.minicluster.MiniClusterConfiguration.Builder()
        builder = builder.setConfiguration(conf).setNumTaskManagers(1).setNumSlotsPerTaskManager(2)
        self._cluster = runtime.runtime.minicluster.MiniCluster(builder.build())
        self._cluster.start()
        address = self._cluster.getRestAddress().get()
        self._env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().build())
        for key, value in (
            ("execution.target", "remote"),
            ("rest.address", address.getHost()),
            ("rest.port", str(address.getPort())),
            ("parallelism.default", "1"),
            ("table.local-time-zone", asked.time_zone),
        ):
            self._env.get_config().set(key, value)
        lines = [json.dumps({"id": i, **row}, ensure_ascii=False) for i, row in enumerate(asked.rows)]
        (folder / "t.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self._env.execute_sql(
            f"CREATE TABLE t (id INT, {asked.schema}) WITH ('connector' = 'filesystem', "
            f"'path' = '{folder}/t.json', 'format' = 'json')"
        )

    def close(self) -> None:
        self._cluster.close()

    def type_of(self, expression: str) -> Answer:
        """{"sql", "type"} or {"sql", "refused"}."""
        try:
            table = self._env.sql_query(f"SELECT {expression} FROM t")
            schema = table._j_table.getResolvedSchema()
        except Exception as error:
            return {"sql": expression, "refused": message(error)}
        kind = schema.getColumnDataTypes().get(0).getLogicalType()
        return {"sql": expression, "type": kind.asSummaryString()}

    def values(self, answers: Sequence[Answer]) -> Iterator[Answer]:
        """The answers with {"cells"}, one a row, or {"failed"}."""
        if not answers:
            return
        try:
            columns = self._columns([answer["sql"] for answer in answers])
        except Exception as error:
            if len(answers) == 1:
                yield {**answers[0], "failed": message(error)}
                return
            middle = len(answers) // 2
            yield from self.values(answers[:middle])
            yield from self.values(answers[middle:])
            return
        for answer, cells in zip(answers, columns):  # noqa: B905 (Python 3.9)
            yield {**answer, "cells": cells}

    def _columns(self, expressions: Sequence[str]) -> list[list[str]]:
        """Cells as a tableau shows them, not cut, by expression."""
        result = self._env.execute_sql(f"SELECT id, {', '.join(expressions)} FROM t")._j_table_result
        converter, rows = result.getRowDataToStringConverter(), []
        found = result.collectInternal()
        try:
            while found.hasNext():
                rows.append(list(converter.convert(found.next())))
        finally:
            found.close()
        rows.sort(key=lambda row: int(row[0]))
        return [list(column) for column in zip(*rows)][1:]  # noqa: B905


def message(error: Exception) -> str:
    """The innermost cause, its first line, without its class."""
    text = str(error)
    causes = re.findall(r"Caused by: [\w.$]+: (.*)", text) or re.findall(
        r"^(?:: )?[\w.$]+\.\w+: (.*)", text, re.MULTILINE
    )
    return causes[-1] if causes else text.splitlines()[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--only", type=Path, help="expressions to ask for instead, one a line")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    asked = family(given.family)
    if given.only:
        wanted = given.only.read_text(encoding="utf-8").splitlines()
    else:
        wanted = asked.expressions(given.seed, given.count)
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory() as folder:
        flink = Flink(asked, Path(folder))
        for start in range(0, len(wanted), TOGETHER):
            typed = [flink.type_of(expression) for expression in wanted[start : start + TOGETHER]]
            answers += [answer for answer in typed if "refused" in answer]
            answers += flink.values([answer for answer in typed if "type" in answer])
            print(f"{min(start + TOGETHER, len(wanted))} of {len(wanted)}", file=sys.stderr, flush=True)
        flink.close()
    write(given.out, given.family, asked, answers)
    return 0


def write(path: Path, name: str, asked: Family, answers: Sequence[Answer]) -> None:
    """A record: the table and one answer a line."""
    head = {
        "family": name,
        "columns": dict(asked.columns),
        "rows": list(asked.rows),
        "time_zone": asked.time_zone,
    }
    lines = [f'"{key}": {json.dumps(value, ensure_ascii=False)},' for key, value in head.items()]
    body = ",\n".join(json.dumps(answer, ensure_ascii=False) for answer in answers)
    path.write_text("{" + "\n".join(lines) + '\n"answers": [\n' + body + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
