"""The options `--ui` and `--ui-host`: the port, what is printed, and errors."""

from __future__ import annotations

import json
import socket
import sys

import pytest

from firesteel.cli.app import run_app
from firesteel.cli.ui import page, with_port
from firesteel.errors import UsageError


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["job.sql", "--ui"], ["job.sql", "--ui=8081"]),
        (["--ui", "job.sql"], ["--ui=8081", "job.sql"]),
        (["--ui", "--verbose", "job.sql"], ["--ui=8081", "--verbose", "job.sql"]),
        (["--ui", "0", "job.sql"], ["--ui", "0", "job.sql"]),
        (["--ui", "-1", "job.sql"], ["--ui", "-1", "job.sql"]),
        (["job.sql", "--ui=9000"], ["job.sql", "--ui=9000"]),
        (["job.sql", "--ui-host", "::1"], ["job.sql", "--ui-host", "::1"]),
    ],
)
def test_the_port_may_be_left_out(given: list[str], read: list[str]) -> None:
    assert with_port(given) == read


def test_the_url_is_printed_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("uvicorn")
    with page(0, None, as_json=False) as url:
        assert capsys.readouterr() == ("", f"ui: {url}\n")
    with page(0, None, as_json=True) as url:
        told = json.loads(capsys.readouterr().err)
        assert (told["event"], told["url"]) == ("ui", url)
    with page(0, "0.0.0.0", as_json=False):
        assert capsys.readouterr().err.count("/?token=") == 1


def test_a_port_that_is_taken_or_none() -> None:
    pytest.importorskip("uvicorn")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Cannot listen on port {port} of 127.0.0.1") as raised:
            run_app(["run", __file__, "--ui", str(port)])
        assert "--ui PORT" in (raised.value.hint or "")
    for port in ("70000", "-1"):
        with pytest.raises(UsageError, match=f"Cannot listen on port {port}"):
            run_app(["run", __file__, f"--ui={port}"])


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_the_error_names_it(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("firesteel.ui.")]:
        if name != "firesteel.ui.host_header":
            monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name == missing or name.startswith(f"{missing}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UsageError) as raised:
        run_app(["run", __file__, "--ui"])
    assert raised.value.hint == "pip install 'firesteel[ui]'"


def test_a_host_without_a_page() -> None:
    with pytest.raises(UsageError, match="--ui-host has no effect without --ui"):
        run_app(["run", __file__, "--ui-host", "0.0.0.0"])
