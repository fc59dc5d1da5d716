"""A job for a cluster: a script with functions beside it, a Python for executors that has no Firesteel, a
load of changes, and the answer."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recovery.runs import ROOT

Row = tuple[Any, ...]
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For short runs on few cores."""

FUNCTIONS = """
from firesteel.functions.python import udf
from words import MARK


@udf(result_type="STRING")
def marked(name):
    return name + MARK
"""
SOURCE = "CREATE TABLE s (id INT, name STRING, cnt INT, PRIMARY KEY (id) NOT ENFORCED) WITH ({options});"
SINK = (
    "CREATE TABLE {table} (name STRING, total INT, biggest INT, different BIGINT, n BIGINT, "
    "PRIMARY KEY (name) NOT ENFORCED) WITH ({options});"
)
QUERY = "SELECT marked(name), SUM(cnt), MAX(cnt), COUNT(DISTINCT cnt), COUNT(*) FROM s GROUP BY marked(name)"


def write_job(folder: Path, source: dict[str, str], sinks: dict[str, dict[str, str]]) -> Path:
    """The script and its modules. source: the options of the table that is read. sinks: by table those of
    the ones that are written."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "functions.py").write_text(FUNCTIONS)
    (folder / "words.py").write_text('MARK = "!"\n')
    lines = [
        "CREATE FUNCTION marked AS 'functions.marked' LANGUAGE PYTHON;",
        SOURCE.format(options=_options(source)),
        *(SINK.format(table=table, options=_options(options)) for table, options in sinks.items()),
        "EXECUTE STATEMENT SET BEGIN",
        *(f"INSERT INTO {table} {QUERY};" for table in sinks),
        "END;",
    ]
    script = folder / "job.sql"
    script.write_text("\n".join(lines) + "\n")
    return script


def _options(options: dict[str, str]) -> str:
    return ", ".join(f"'{key}' = '{value}'" for key, value in options.items())


def bare_python(folder: Path) -> Path:
    """A Python with all that this one has but Firesteel, where that is installed from its sources: of a path
    in a .pth file the .pth files that lie there are not read."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    base = {"base": str(folder), "platbase": str(folder)}
    (Path(sysconfig.get_path("purelib", vars=base)) / "shared.pth").write_text(
        sysconfig.get_path("purelib") + "\n"
    )
    return folder / "bin" / "python"


class Job(subprocess.Popen[bytes]):
    """`firesteel run` of a script on a cluster. What it says goes to a file."""

    def __init__(self, script: Path, master: str, checkpoint: Path | None, python: Path, *more: str) -> None:
        command = [str(Path(sys.executable).with_name("firesteel")), "run", str(script), "--master", master]
        if checkpoint is not None:
            command += ["--checkpoint", str(checkpoint)]
        command += [f"--set=spark.{who}.extraJavaOptions={_JAVA}" for who in ("driver", "executor")]
        self._said = script.parent / "said"
        with self._said.open("ab") as said:
            super().__init__(
                [*command, *more],
                stdout=said,
                stderr=said,
                env={**os.environ, "PYSPARK_PYTHON": str(python)},
                cwd=ROOT,
            )

    @property
    def said(self) -> str:
        return self._said.read_text(errors="replace")[-8000:]


class Load:
    """Random inserts, updates and deletes of rows (id, name, cnt), and the rows that are left."""

    def __init__(self, names: int, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._names = names
        self._ids: list[int] = []
        self._next = 0
        self.rows: dict[int, tuple[str, int]] = {}

    def changes(self, count: int) -> Iterator[tuple[int, bytes]]:
        """So many more, each with its row's id, as canal-json."""
        for _ in range(count):
            kind = self._chance.choice("IIUUD") if self._ids else "I"
            if kind == "I":
                self._ids.append(self._next)
                self._next += 1
            place = self._chance.randrange(len(self._ids)) if kind != "I" else -1
            number = self._ids[place]
            before = self.rows.get(number)
            row = (f"name{self._chance.randrange(self._names)}", self._chance.randrange(100))
            if kind == "D":
                self._ids[place] = self._ids[-1]
                self._ids.pop()
                row = self.rows.pop(number)
            else:
                self.rows[number] = row
            yield number, _message(kind, number, row, before)

    def answer(self) -> Counter[Row]:
        """What the query gives for the rows that are left."""
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for name, count in self.rows.values():
            groups[f"{name}!"].append(count)
        return Counter(
            (name, sum(counts), max(counts), len(set(counts)), len(counts)) for name, counts in groups.items()
        )


def _message(kind: str, number: int, row: tuple[str, int], before: tuple[str, int] | None) -> bytes:
    old = None
    if kind == "U" and before is not None:
        pairs = zip(("name", "cnt"), before, row, strict=True)
        old = [{name: str(was) for name, was, now in pairs if was != now}]
    word = {"I": "INSERT", "U": "UPDATE", "D": "DELETE"}[kind]
    data = {"id": str(number), "name": row[0], "cnt": str(row[1])}
    return json.dumps({"data": [data], "old": old, "type": word, "isDdl": False}).encode()
