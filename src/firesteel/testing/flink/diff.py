"""Comparison of a whole script: Firesteel's answers, Flink's answers, and the verdicts."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import UsageError
from firesteel.testing.flink.flink import FlinkRun, Watch
from firesteel.testing.flink.own_answers import OwnAnswers, passes_on
from firesteel.testing.flink.verdict import Verdict, verdict_of


@dataclass(frozen=True)
class FlinkComparison:
    """The verdicts on the statements of a script.

    Attributes:
        version: Version of Flink.
        verdicts: Verdicts on all queries, INSERTs and EXPLAINs. A definition, such as CREATE TABLE, is left
            out if both engines accept it.
    """

    version: str
    verdicts: Sequence[Verdict]

    @property
    def agrees(self) -> bool:
        """Whether the engines agree on all statements. They do not if a statement could not be compared."""
        return all(each.outcome.agrees for each in self.verdicts)


def compare_with_flink(
    text: str,
    *,
    name: str,
    modules: str,
    options: Mapping[str, str],
    python: str,
    jars: Sequence[str] = (),
    with_plans: bool = True,
    watch: Watch | None = None,
) -> FlinkComparison:
    """Run a script on Flink and on Firesteel, and compare the plans and changes. Write nothing to a sink.

    Args:
        text: The script.
        name: Its file name, for errors.
        modules: Folder of the modules of functions.
        options: Options to set, by key.
        python: Path of a Python that has the package apache-flink.
        jars: Paths of jars with connectors and formats for Flink.
        with_plans: Whether plans are compared.
        watch: Function that is called with the number of answered requests and of all, None for none.

    Raises:
        UsageError: The script has no query and no INSERT, or a jar does not exist.
        JobError: Flink's process fails.
    """
    for jar in jars:
        if not Path(jar).is_file():
            raise UsageError(f"--jar: there is no file {jar}")
    with tempfile.TemporaryDirectory(prefix="firesteel-flink-") as folder:
        tables = Path(folder, "tables")
        tables.mkdir()
        asked = OwnAnswers(name, text, modules, options, tables, has_jars=bool(jars)).all()
        if all(each.is_definition for each in asked):
            raise UsageError(f"{name} has no query and no INSERT")
        passed = {key: value for key, value in options.items() if passes_on(key)}
        version, answers = FlinkRun(python, jars, modules, passed, Path(folder), watch).ask(asked)
    verdicts = [
        verdict_of(each, answer, with_plans=with_plans) for each, answer in zip(asked, answers, strict=True)
    ]
    shown = [
        verdict
        for each, verdict in zip(asked, verdicts, strict=True)
        if not (each.is_definition and verdict.outcome.agrees and each.own.error is None)
    ]
    return FlinkComparison(version, shown)
