"""Answers of the shell to WHY."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from firesteel.cli.shell.why_statement import WhyStatement

if TYPE_CHECKING:
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.why.statement import AskedStatement


def print_why(environment: TableEnvironment, statement: WhyStatement) -> None:
    """Print how a row came to be, as `firesteel why` does.

    Args:
        environment: The session, which has started the job.
        statement: What is asked.

    Raises:
        ValidationError: No job has the id that the statement names.
        UsageError: The job has no checkpoint, no job of the session with a checkpoint writes to the table,
            the folder is no checkpoint, or the table has never had the row.
        NotSupportedError: The history of the row cannot be found out.
    """
    from firesteel.cli.why.text_form import as_text
    from firesteel.session.why.why import Question, explain_in

    question = Question((statement.condition,), at=statement.at, limit=statement.limit)
    found = explain_in(_asked(environment, statement), question)
    is_terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if is_terminal else None
    sys.stdout.write(as_text(found, is_terminal, width))
    sys.stdout.flush()


def _asked(environment: TableEnvironment, statement: WhyStatement) -> AskedStatement:
    from firesteel.session.why.shell_jobs import statement_in, statement_of_job, statement_writing

    if statement.checkpoint is not None:
        return statement_in(environment, statement.checkpoint, statement.table)
    if statement.job is not None:
        return statement_of_job(environment, statement.job, statement.table)
    return statement_writing(environment, statement.table)
