"""The magics %%firesteel, which runs SQL in a cell, and %firesteel_plot, which draws the charts of a job."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
from contextlib import suppress
from typing import Any, NoReturn

from IPython.display import display

from firesteel.errors import UsageError
from firesteel.jobs.job import Job
from firesteel.jobs.registry import JOBS
from firesteel.notebook.job_plot import JobPlot
from firesteel.notebook.live_result import ROWS, LiveResult
from firesteel.notebook.live_view import LiveView
from firesteel.notebook.redraw import redraw
from firesteel.session.environment import TableEnvironment
from firesteel.session.result import OK, ChangesResult, TableResult
from firesteel.sql.variables import substitute


def load_ipython_extension(shell: Any) -> None:
    """Add the magics to a shell of IPython: `%load_ext firesteel.notebook`."""
    magics = Magics(shell)
    shell.register_magic_function(magics.run, "line_cell", "firesteel")
    shell.register_magic_function(magics.plot, "line", "firesteel_plot")


class Magics:
    """The magics %%firesteel and %firesteel_plot of one shell of IPython.

    Args:
        shell: The shell. %%firesteel reads the TableEnvironment from one of its variables, or sets it.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def run(self, line: str, cell: str | None = None) -> None:
        """Run the statements of a cell, or the one statement of a line, and show their results.

        Raises:
            UsageError: An argument is wrong.
            FiresteelError: A statement is wrong, or its job fails.
        """
        if cell is None:
            line, cell = "", line
        given = _arguments(line)
        environment = self._environment(given.env)
        text = substitute(cell, dict(given.variables), os.environ)
        environment.expect(text)
        for statement in environment.split_in_place(text):
            self._show(environment, environment.execute_sql(statement), given)

    def _environment(self, name: str) -> TableEnvironment:
        """Return the TableEnvironment in the notebook's variable `name`. Create it if there is none."""
        found = self._shell.user_ns.get(name)
        if found is None:
            found = TableEnvironment.create()
            self._shell.user_ns[name] = found
        if not isinstance(found, TableEnvironment):
            raise UsageError(
                f"the variable {name} is a {type(found).__name__}, not a TableEnvironment",
                hint="name another variable with --env",
            )
        return found

    def _show(self, environment: TableEnvironment, result: TableResult, given: argparse.Namespace) -> None:
        if isinstance(result, ChangesResult):
            view = LiveResult(result, environment.time_zone, size=given.rows, of_changes=given.changes)
            _show_live(view, with_widget=not given.no_widget)
        elif result.is_insert and result.record is not None:
            if given.wait:
                result.wait()
            print(f"Job {result.record.id}: {result.record.state.value}. %firesteel_plot {result.record.id}")
        elif result is OK:
            print(OK.text)
        else:
            display(result)

    def plot(self, line: str) -> None:
        """Draw the charts of a job until it ends or the user interrupts the cell. The job runs on.

        Args:
            line: Id of the job. Empty for the job that was started last.

        Raises:
            UsageError: There is no job with this id, or no job at all.
        """
        view = JobPlot(_job(line.strip()))
        with suppress(KeyboardInterrupt):  # the drawing ends, the job does not
            _show_live(view, with_widget=True)


def _show_live(view: LiveView, *, with_widget: bool) -> None:
    """Show a view in the cell, as a widget or by a loop.

    With a widget, which needs the package anywidget, the cell ends at once. With the loop, the cell runs and
    redraws the view until the view ends.

    Args:
        view: The view.
        with_widget: True to show a widget if anywidget is installed, and to run the loop if not. False to
            run the loop in any case.
    """
    if with_widget and importlib.util.find_spec("anywidget") is not None:
        from firesteel.notebook.widget import ViewWidget

        display(ViewWidget(view))
    else:
        redraw(view)


def _job(id: str) -> Job:
    found = JOBS.find(id) if id else next(reversed(JOBS.jobs()), None)
    if found is None:
        what = f"there is no job {id}" if id else "no job has been started"
        raise UsageError(what, hint="%firesteel SHOW JOBS lists them")
    return found


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are errors of the cell: argparse would end the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%firesteel: {message}", hint=self.format_usage().strip())


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"NAME=VALUE is expected, not {text!r}")
    return name, value


def _arguments(line: str) -> argparse.Namespace:
    parser = _Parser(prog="%%firesteel", add_help=False, allow_abbrev=False)
    parser.add_argument("-D", dest="variables", action="append", default=[], type=_pair, metavar="NAME=VALUE")
    parser.add_argument("--env", default="env", metavar="VARIABLE")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--wait", action="store_true")
    parser.add_argument("--no-widget", action="store_true")
    return parser.parse_args(shlex.split(line))
