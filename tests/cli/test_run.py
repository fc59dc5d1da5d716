"""Options of the command line."""

from __future__ import annotations

from firesteel.cli.run import configuration


def test_command_line_options_become_configuration() -> None:
    found = configuration({"a": "b"}, "/tmp/checkpoint", "local[1]")
    assert found == {"a": "b", "execution.checkpointing.dir": "/tmp/checkpoint", "spark.master": "local[1]"}
