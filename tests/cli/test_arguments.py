"""Help of the commands on terminals of several widths."""

from __future__ import annotations

import pytest

from firesteel.cli.app import run_app

_OPTIONS = ("--checkpoint", "--metrics-port", "--recover", "--show", "--log-format", "--verbose")


@pytest.mark.parametrize("columns", [30, 40, 79, 80, 120])
def test_no_word_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    run_app(["run", "--help"])
    said = capsys.readouterr().out
    assert [option for option in _OPTIONS if option not in said] == []
    assert "…" not in said
