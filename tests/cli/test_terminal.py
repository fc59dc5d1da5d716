"""Control characters in data: a terminal is shown them escaped, files and pipes get them as they are."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest

from firesteel.changelog import KIND
from firesteel.cli.report import report
from firesteel.cli.run import Runner
from firesteel.cli.terminal import escaped, lines_escaped
from firesteel.errors import DataError
from firesteel.plan.tree import Field
from firesteel.session.environment import TableEnvironment
from firesteel.session.result import ChangesResult, RowsResult, TableResult
from firesteel.types.sql import STRING

DANGEROUS = "a\x1b[2J\x1b]0;title\x07\u009b1m\x7f"
SHOWN = r"a\x1b[2J\x1b]0;title\x07\x9b1m\x7f"


class Screen(io.StringIO):
    """An output that is a terminal, or not."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(
    ("text", "cell", "lines"),
    [
        ("plain, ümläut 漢", "plain, ümläut 漢", "plain, ümläut 漢"),
        (DANGEROUS, SHOWN, SHOWN),
        ("a\nb\tc\r", r"a\nb\tc\r", "a\nb\\tc\\r"),
        ("no-break\u00a0space", "no-break\u00a0space", "no-break\u00a0space"),
    ],
)
def test_control_characters_are_escaped(text: str, cell: str, lines: str) -> None:
    assert escaped(text) == cell
    assert lines_escaped(text) == lines


def changes() -> ChangesResult:
    table = pa.table({KIND: pa.array([0], pa.int8()), "f0": [f"{DANGEROUS}\nx"]})
    fields = [Field("c", STRING)]
    return ChangesResult(
        fields, iter([table]), bounded=True, max_width=60, time_zone="UTC", cancel=lambda: None
    )


def shown(result: TableResult, show: str, is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    screen = Screen(is_terminal)
    environment = TableEnvironment.create()
    monkeypatch.setattr(environment, "execute", lambda *_, **__: result)
    monkeypatch.setattr("sys.stdout", screen)
    Runner(environment, show=show).execute(environment.parse("SHOW TABLES;")[0], "SHOW TABLES;")
    return screen.getvalue()


@pytest.mark.parametrize("show", ["tableau", "changes", "table"])
def test_a_terminal_is_shown_cells_without_them(show: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = shown(changes(), show, True, monkeypatch)
    assert SHOWN + r"\nx" in said
    assert said.replace("\n", "").isprintable()
    lines = said.splitlines()
    assert len({len(line) for line in lines if line[0] in "+|"}) <= 1 or show == "changes"
    assert f"{DANGEROUS}\nx" in shown(changes(), show, False, monkeypatch)


def test_names_and_errors_are_shown_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    names = RowsResult([Field("table name", STRING)], [[DANGEROUS]])
    assert SHOWN in shown(names, "tableau", True, monkeypatch)
    for is_terminal, text in ((True, SHOWN), (False, DANGEROUS)):
        screen = Screen(is_terminal)
        monkeypatch.setattr("sys.stderr", screen)
        report(DataError(DANGEROUS), verbose=False)
        assert screen.getvalue() == f"error: {text}\n"
