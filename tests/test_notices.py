"""Notices reach stderr, and are lost where it cannot take them."""

from __future__ import annotations

import io

import pytest

from firesteel.notices import say


class _Broken(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_a_notice_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    say("the broker is back")
    assert capsys.readouterr() == ("", "the broker is back\n")


@pytest.mark.parametrize("stderr", [None, _Broken(), "closed"])
def test_without_a_stderr_it_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stderr: object
) -> None:
    if stderr == "closed":
        stderr = io.StringIO()
        stderr.close()
    monkeypatch.setattr("sys.stderr", stderr)
    say("the broker is back")
    assert capsys.readouterr().out == ""
