"""`why`, `verify` and `diff` of each SELECT of recorded cases, without Spark.

Rows that the changes of a SELECT leave, and one that they have taken away, are explained: an explanation
must end at the rows that a run without a filter leaves, and each step must begin with the state in which the
one before it ended. `verify` must find no difference, and `diff` none between the script and itself with
other mini-batches.

A folder without a script has the events of the queries in examples/nexmark.

usage: python -m tests.why.cases FOLDER...
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
from benchmarks.nexmark_scripts import FOLDER, select

from firesteel import TableEnvironment
from firesteel.changelog import KIND, RowKind, field
from firesteel.errors import FiresteelError, NotSupportedError
from firesteel.rules.mini_batch.mini_batch_options import ENABLED, LATENCY, SIZE, is_mini_batch
from firesteel.session.why.key import parse_key
from firesteel.session.why.texts import row_texts
from firesteel.spark.upgrade.content import COUNT, Content
from firesteel.sql.variables import substitute
from firesteel.testing.diff.diff import diff
from firesteel.testing.verify.verify import verify_script
from firesteel.types.python_values import python_values
from firesteel.types.sql import quoted_name
from tests.cases.script import steps
from tests.cases.test_nexmark import ANSWERS, LOOKS_UP, VALUES, numbers
from tests.why.final_state import FinalState
from tests.why.past_job import PastJob, whole_run
from tests.why.random_rows import chained

_ROWS = 13
"""Rows of each source in a micro-batch."""


class AskedCase:
    """The SELECTs of a case that Flink answers, each as a script of its own.

    Args:
        case: Folder of the case.

    Attributes:
        counts: What was done how often.
    """

    def __init__(self, case: Path) -> None:
        self.case = case
        self.counts = Counter[str]()

    def problems(self) -> Iterator[str]:
        """Yield what is wrong, with the number of the SELECT."""
        scripts = _answered if any(self.case.glob("*.sql")) else _nexmark
        for number, before, query in scripts(self.case):
            # Mini-batches decide which rows of row time are late.
            turned = _has_mini_batch(before) == ("WATERMARK FOR" in before)
            mini_batch = {ENABLED: str(turned).lower()}
            if LATENCY not in before:
                mini_batch |= {LATENCY: "5 s", SIZE: "5000"}
            with tempfile.TemporaryDirectory(prefix="firesteel-cases-") as folder:
                for what in self._of(Path(folder), before, query, mini_batch):
                    yield f"{self.case.name} {number}: {what}"

    def _of(self, folder: Path, before: str, select: str, mini_batch: dict[str, str]) -> Iterator[str]:
        file, other = folder / "script.sql", folder / "other.sql"
        settings = "".join(f"SET '{key}' = '{value}';\n" for key, value in mini_batch.items())
        file.write_text(before + select)
        other.write_text(before + settings + select)
        for name, ask in (
            ("verify", lambda: _verified(file)),
            ("diff", lambda: _same(file, other)),
            ("why", lambda: list(self._explained(folder, before + select))),
        ):
            try:
                found = ask()
            except NotSupportedError as error:
                self.counts[f"{name} refused: {error.message[:90]}"] += 1
            except Exception as error:
                yield f"{name}: {type(error).__name__}: {error}"
            else:
                self.counts[name] += 1
                yield from (f"{name}: {what}" for what in found)

    def _explained(self, folder: Path, script: str) -> Iterator[str]:
        """Explain rows of the only query of a script, and yield what is wrong."""
        job = PastJob(folder, script, _ROWS)
        run = whole_run(job)
        final, changes = FinalState(run), run.changes
        yield from final.problems()
        if changes is None:
            self.counts["no change"] += 1
            return
        spec = run.planned.job.job.sinks[0]
        names = tuple(column.name for column in run.planned.plans[0].schema)
        content = Content(spec.types, run.planned.job.key(0))
        content.apply(changes)
        rows = content.rows()
        taken = changes.filter(pa.array(np.isin(changes[KIND], (RowKind.UPDATE_BEFORE, RowKind.DELETE))))
        for table in (rows.slice(0, 1), rows.slice(rows.num_rows // 2, 1), taken.slice(0, 1)):
            key = _key(table, names)
            if key:
                wanted = parse_key(key, spec, names).condition
                found = job.why(*key, limit=100_000)
                self.counts["rows explained"] += 1
                if sorted(found.rows) != _texts(rows.filter(pa.array(wanted.mask(rows)))):
                    yield f"{key}: {found.rows}, not {_texts(rows.filter(pa.array(wanted.mask(rows))))}"
                if not found.sources and " FROM " in script.rpartition(";\n")[0].rpartition(";\n")[2]:
                    yield f"{key}: no source row"
                if "WATERMARK FOR" not in script:  # time changes a state between two steps
                    yield from chained(found)
                    yield from final.differences(found)


def _answered(case: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each SELECT that Flink answers, the statements before it, and the SELECT."""
    environment, before = TableEnvironment.create(), ""
    for step in steps(environment, case):
        if isinstance(step, str):
            with suppress(FiresteelError):  # cases have statements that Flink refuses, too
                environment.execute_sql(step)
                before += f"{step};\n"
        elif step.changes is not None:
            yield step.number, before, f"{step.sql};\n"


def _nexmark(case: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the queries of examples/nexmark over the events of a folder, with their tables."""
    values = {**VALUES, "DATA": str(case)}
    tables = substitute((FOLDER / "files.sql").read_text(encoding="utf-8"), values)
    for query in numbers(ANSWERS):
        side_input = ""
        if query == LOOKS_UP:
            own = substitute((FOLDER / f"q{query}.sql").read_text(encoding="utf-8"), values)
            side_input = f"{TableEnvironment.create().split(own)[0]};\n"
        yield query, f"{tables}\n{side_input}", f"{select(query)};\n"


def _has_mini_batch(script: str) -> bool:
    environment = TableEnvironment.create()
    for statement in environment.split(script):
        if statement.lstrip().upper().startswith("SET"):
            environment.execute_sql(statement)
    return is_mini_batch(environment.configuration)


def _verified(script: Path) -> list[str]:
    return [each.text() for each in verify_script(script) if not each.is_right]


def _same(script: Path, other: Path) -> list[str]:
    """Return the differing rows of two scripts whose plans may differ."""
    return [
        line for each in diff([str(script), str(other)], []).statements if each.count for line in each.lines()
    ]


def _key(row: pa.Table, names: Sequence[str]) -> list[str]:
    """Return conditions that a row fulfils: the first columns of each name whose values can be written."""
    found: dict[str, str] = {}
    for at, name in enumerate(names if row.num_rows else ()):
        column = row.column(field(at))
        if name in found or names.index(name) != at or not _can_be_written(column.type):
            continue
        (value,) = python_values(column)
        text = str(value).removesuffix("+00:00").replace("'", "''")
        found[name] = f"{quoted_name(name)} " + ("IS NULL" if value is None else f"= '{text}'")
    return list(found.values())


def _can_be_written(kind: pa.DataType) -> bool:
    return not (pa.types.is_floating(kind) or pa.types.is_nested(kind) or pa.types.is_binary(kind))


def _texts(rows: pa.Table) -> list[str]:
    """Return the rows of a sink as an explanation shows them, sorted."""
    texts = row_texts(rows.append_column(KIND, pa.array(np.zeros(rows.num_rows, np.int8))))
    counts = rows.column(COUNT).to_pylist()
    return sorted(
        text.removeprefix("+I") for text, count in zip(texts, counts, strict=True) for _ in range(count)
    )


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("case", type=Path, nargs="+")
    wrong, counts, begun = 0, Counter[str](), time.monotonic()
    for case in parser.parse_args(argv).case:
        asked = AskedCase(case)
        for problem in asked.problems():
            wrong += 1
            print(problem[:3000], flush=True)
        counts += asked.counts
    for what, count in sorted(counts.items()):
        print(f"{count:,} {what}")
    print(f"{wrong} wrong in {time.monotonic() - begun:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
