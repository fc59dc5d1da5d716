"""The help of the shell: its own page, and the pages of the documentation."""

from __future__ import annotations

from firesteel.cli.help_pages import pages, print_page
from firesteel.errors import UsageError
from firesteel.session.vocabulary.functions import BUILT_IN, described
from firesteel.session.vocabulary.options import described as described_option
from firesteel.session.vocabulary.options import settings

HELP = """\
Statements end with a semicolon.
  CREATE TABLE, CREATE VIEW, DROP       define what queries read and write
  SELECT, INSERT INTO, STATEMENT SET    run a query; Ctrl-C stops it
  SELECT ... &                          run it in the background
  SHOW JOBS, STOP JOB 'id'              list the jobs, stop one
  SHOW RESULT id                        what came of a query in the background
  WHY SELECT * FROM t WHERE key = 1     how a row of a job's result came to be; HELP why
  EXPLAIN [CHANGELOG_MODE] query        show its plan
  SHOW TABLES, DESCRIBE name            see what is there
  SET, SET 'key' = 'value', RESET       options of this shell
  SET 'sql-client.execution.result-mode' = 'TABLEAU', 'CHANGELOG' or 'TABLE'
                                        how results are shown: Flink's tableau, a line a change, the rows left
  SET 'firesteel.shell.detach' = 'true' run INSERTs and endless queries in the background
  SOURCE file                           run the statements of a file
  \\timing [on|off]                      show how long each statement takes
  HELP topic                            a page of the documentation, a function or an option
  CLEAR, HELP, QUIT or EXIT             of the shell itself, with or without a semicolon
Tab completes, Ctrl-R searches the history, Alt-Enter begins a line.
"""


def print_help(topic: str) -> None:
    """Print the help of the shell or of a topic.

    Args:
        topic: A page of the documentation, a function or an option; "" for the help itself.

    Raises:
        UsageError: Nothing is known about the topic.
    """
    if not topic:
        print(HELP, end="")
    elif topic.lower() in pages():
        print_page(topic.lower())
    elif topic.upper() in BUILT_IN:
        print(described(topic.upper()))
    elif topic in settings():
        print(f"{topic}: {described_option(settings()[topic])}")
    else:
        raise UsageError(
            f"there is no help about {topic!r}",
            hint=f"topics are functions, options, and the pages {', '.join(pages())}",
        )
