"""Folding changes for `--show table`."""

from __future__ import annotations

from firesteel.cli.run import RowsLeft, configuration


def test_rows_left_are_those_that_no_change_takes_away() -> None:
    changes = [
        ("+I", "a", "1"),
        ("+I", "b", "1"),
        ("+I", "b", "1"),
        ("-U", "a", "1"),
        ("+U", "a", "2"),
        ("-D", "b", "1"),
    ]
    rows = RowsLeft()
    rows.apply(iter(changes))
    assert list(rows) == [("b", "1"), ("a", "2")]


def test_command_line_options_become_configuration() -> None:
    found = configuration({"a": "b"}, "/tmp/checkpoint", "local[1]")
    assert found == {"a": "b", "execution.checkpointing.dir": "/tmp/checkpoint", "spark.master": "local[1]"}
