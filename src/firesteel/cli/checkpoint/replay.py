"""The command `firesteel replay`: dead letters go back into their job."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from firesteel.cli.run import Runner, opened
from firesteel.cli.terminal import escaped
from firesteel.counted import counted
from firesteel.errors import NotSupportedError, UsageError
from firesteel.session.launch import CHECKPOINT

if TYPE_CHECKING:
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.replay.dead_letter_rows import KeptLetter
    from firesteel.session.replay.replay import StatementReplay
    from firesteel.sql.statements import Insert, Query, Statement, StatementSet

_SHOWN = 5
"""Largest number of messages to list among those that still cannot be read."""


def replay_script(
    text: str,
    options: dict[str, str],
    *,
    folder: str,
    table: str | None,
    show: str | None,
    verbose: bool,
    name: str = "",
) -> int:
    """Replay the dead letters of all jobs of a script, print a report of each, and return the exit status.

    Args:
        text: The script.
        options: Configuration options by key.
        folder: Folder of the modules of user-defined functions.
        table: Name of the dead-letter table or view. None: for each statement, the table that the script has
            SET before it (`firesteel.dead-letters.table`).
        show: How changes are shown, a key of SHOWS; None for the option of Flink's client.
        verbose: Whether to print stack traces.
        name: File name of the script.

    Raises:
        UsageError: The checkpoint does not exist, or another command uses it.
        FiresteelError: A statement is wrong, or its dead letters cannot be replayed.
    """
    from firesteel.spark.checkpoint.folder import check_is_there

    if CHECKPOINT in options:
        check_is_there(options[CHECKPOINT])  # before anything makes the folder
    with opened(text, options, folder=folder, name=name) as environment:
        environment.expect(text)
        runner = Runner(environment, show=show, verbose=verbose)
        return Replays(environment, runner, table).run(text)


class Replays:
    """Replay of the dead letters of each statement of a script.

    Args:
        environment: The session.
        runner: Runs the statements that have dead letters.
        table: Name of the dead-letter table or view of all statements. None: as in `replay_script`.
    """

    def __init__(self, environment: TableEnvironment, runner: Runner, table: str | None) -> None:
        self._environment = environment
        self._runner = runner
        self._table = table
        self._read: dict[str, list[KeptLetter]] = {}
        self._found = False

    def run(self, text: str) -> int:
        from firesteel.sql.statements import CreateTable, Explain, Insert, Query, Show, StatementSet

        for statement in self._environment.parse(text):
            if isinstance(statement, (Query, Insert, StatementSet)):
                self._replay(statement, text)
            elif isinstance(statement, CreateTable) and statement.query is not None:
                raise NotSupportedError(
                    "replay into the job of CREATE TABLE AS", range=statement.range, sql=text,
                    hint="write CREATE TABLE and INSERT",
                )  # fmt: skip
            elif not isinstance(statement, (Explain, Show)):
                self._environment.execute(statement, text)
        if not self._found:
            sys.stdout.write("No statement of the script has a checkpoint with dead letters.\n")
        return 0

    def _replay(self, statement: Query | Insert | StatementSet, text: str) -> None:
        from firesteel.session.checkpoints import statement_text
        from firesteel.session.replay.replay import replay_of
        from firesteel.spark.checkpoint.folder import check_is_there

        environment = self._environment
        checkpoint = environment.options.get(CHECKPOINT)
        if checkpoint is None:
            raise UsageError("no checkpoint is named", hint="--checkpoint DIR names that of the job")
        check_is_there(checkpoint)
        table = self._table_of()
        found = None
        if table is not None:
            found = replay_of(environment, statement, text, checkpoint, self._letters(table))
        if found is None or found.replay is None:
            environment.known_statements.skip(statement_text(statement, text))
        else:
            self._run(found, statement, text)
        if found is not None and table is not None:
            self._tell(found, table)

    def _run(self, found: StatementReplay, statement: Statement, text: str) -> None:
        self._environment.replay = found.replay
        try:
            self._runner.execute(statement, text)
        finally:
            self._environment.replay = None

    def _table_of(self) -> str | None:
        """Return the name of the dead-letter table of the next statement, None if none is set."""
        from firesteel.session.replay.dead_letter_rows import dead_letter_table

        return self._table or dead_letter_table(self._environment)

    def _letters(self, table: str) -> list[KeptLetter]:
        from firesteel.session.replay.dead_letter_rows import read_letters

        if table not in self._read:
            self._read[table] = read_letters(self._environment, table)
        return self._read[table]

    def _tell(self, found: StatementReplay, table: str) -> None:
        lines = list(report(found, table))
        self._found |= bool(lines)
        sys.stdout.write("".join(f"{escaped(line)}\n" for line in lines))


def report(found: StatementReplay, table: str) -> list[str]:
    """Return the lines of the report about the replay of one statement.

    They tell how many messages were replayed, which still cannot be read, and which rows are no messages. If
    the table has nothing for this statement, there are no lines.
    """
    lines = []
    if found.is_completed:
        lines.append("A replay that was interrupted is complete.")
    if found.messages or found.unreadable or found.earlier:
        verb = "was" if found.earlier == 1 else "were"
        earlier = f", {found.earlier:,} {verb} replayed before" if found.earlier else ""
        unread = f", {len(found.unreadable):,} still cannot be read" if found.unreadable else ""
        lines.append(f"{counted(found.messages, 'message')} of {table} replayed{unread}{earlier}.")
    places = sorted(found.unreadable.items())
    lines += [f"  {place}: {' '.join(text.split())}" for place, text in places[:_SHOWN]]
    if len(places) > _SHOWN:
        lines.append(f"  and {len(places) - _SHOWN:,} more")
    if found.rows:
        lines.append(
            f"{counted(found.rows, 'row')} of {table} not replayed: they are results, not messages. "
            "Write them to their table with INSERT."
        )
    return lines
