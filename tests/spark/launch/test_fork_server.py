"""The fork server: a process that asks is continued by a fork that has everything loaded."""

from __future__ import annotations

import marshal
import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.spark.launch import fork_server, forked_python
from tests.spark.test_modules_beside import trap

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or not hasattr(socket, "send_fds"),
    reason="no fork, or no sockets, here",
)

SERVER = """
import os, sys
from firesteel.spark.launch.fork_server import serve
serve(sys.argv[1], lambda: sys.modules.setdefault("loaded_before", os))
import loaded_before
mine = os.environ.get("MINE"), "SERVERS" in os.environ
print(sys.argv, os.getcwd(), *mine, flush=True)
for line in sys.stdin:
    print("got", line.strip(), flush=True)
"""


@pytest.fixture
def address() -> Iterator[str]:
    """Where a server listens that continues with the rest of SERVER."""
    path = Path(tempfile.mkdtemp()) / "socket"
    command = [sys.executable, "-c", SERVER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "SERVERS": "1"}) as server:
        while not path.exists():
            assert server.poll() is None
        yield str(path)
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(100) == 0
    assert not path.parent.exists()


def ask(address: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-S", forked_python.__file__, address, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "MINE": "yes"},
    )


def test_the_fork_has_streams_arguments_folder_path_and_environment(address: str, tmp_path: Path) -> None:
    with ask(address, tmp_path, "-m", "a", "b") as asker:
        assert asker.stdout is not None
        assert asker.stdin is not None
        assert asker.stdout.readline() == f"['-m', 'a', 'b'] {tmp_path} yes False\n"
        asker.stdin.write("one\n")
        asker.stdin.flush()
        assert asker.stdout.readline() == "got one\n"
        asker.stdin.close()
        assert asker.wait(100) == 0


def test_it_serves_many_and_the_end_of_one_is_not_the_end_of_another(address: str, tmp_path: Path) -> None:
    askers = [ask(address, tmp_path, "-m", str(n)) for n in range(3)]
    for n, asker in enumerate(askers):
        assert asker.stdout is not None
        assert asker.stdout.readline().startswith(f"['-m', '{n}']")
    askers[0].kill()
    assert askers[1].communicate("still\n", timeout=100)[0] == "got still\n"
    assert askers[2].communicate("there\n", timeout=100)[0] == "got there\n"
    askers[0].wait(100)


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="no /proc on this system")
def test_who_asked_waits_as_a_shell(address: str, tmp_path: Path) -> None:
    with ask(address, tmp_path, "-m", "a") as asker:
        assert asker.stdout is not None
        asker.stdout.readline()
        end = time.monotonic() + 100
        while Path(f"/proc/{asker.pid}/comm").read_text() != "sh\n":
            assert time.monotonic() < end
        asker.communicate("done\n", timeout=100)
        assert asker.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_fork_ends_with_who_asked(address: str, tmp_path: Path, number: int) -> None:
    with ask(address, tmp_path, "-m", "a") as asker:
        assert asker.stdout is not None
        asker.stdout.readline()
        asker.send_signal(number)
        assert asker.stdout.read() == ""  # the fork, which had it too, is gone
        assert asker.wait(100) == -number


def test_who_asked_may_be_gone_before_the_fork_runs(address: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        about = marshal.dumps((["-m", "a"], [], str(tmp_path), {}))
        socket.send_fds(
            connection, [len(about).to_bytes(forked_python.LENGTH_BYTES, "big")], [reading, writing, writing]
        )
        connection.sendall(about[:5])
    os.close(writing)
    with os.fdopen(reading) as output:
        assert output.read() == ""


def ended_process() -> int:
    """The ID of a process that has ended."""
    with subprocess.Popen([sys.executable, "--version"], stdout=subprocess.DEVNULL) as process:
        return process.pid


def await_socket(server: fork_server.ForkServer) -> None:
    while not (server.python.parent / "socket").exists():
        assert server._process is not None
        assert server._process.poll() is None


@pytest.mark.parametrize("arguments", [["-m", "platform"], ["-c", "print('here')"], ["--version"]])
def test_without_a_server_it_is_an_ordinary_python(arguments: list[str], tmp_path: Path) -> None:
    expected = subprocess.run([sys.executable, *arguments], capture_output=True, text=True).stdout
    assert expected
    with ask("/no/such/socket", tmp_path, *arguments) as asker:
        assert asker.communicate(timeout=100)[0] == expected


SILENT = """
import sys
from firesteel.spark.launch import forked_python
forked_python.PATIENCE = 0.3
sys.argv[:1] = ["forked_python.py"]
forked_python.main()
"""


def test_a_server_that_does_not_answer_is_left_which_is_reported_once(tmp_path: Path) -> None:
    address = str(tmp_path / "socket")
    out, err = tmp_path / "out", tmp_path / "err"  # no pipes: the server has been sent them
    with socket.socket(socket.AF_UNIX) as listener, out.open("w") as stdout, err.open("w") as stderr:
        listener.bind(address)
        listener.listen()
        command = [sys.executable, "-c", SILENT, address, "-m", "platform"]
        for _ in range(2):
            subprocess.run(command, stdout=stdout, stderr=stderr, check=True, timeout=60)
    assert out.read_text() == f"{platform.platform()}\n" * 2
    assert err.read_text() == (
        "Python workers are started in a slower way, with the same results: "
        "the fork server did not answer in 0 s\n"
    )


UNPREPARED = """
import sys
from firesteel.spark.launch import daemon
def prepare():
    raise ValueError("no such module here")
daemon.prepare = prepare
daemon.main()
"""


def test_where_the_libraries_cannot_be_loaded_first_the_daemon_is_sparks() -> None:
    command = [sys.executable, "-c", UNPREPARED, "pyspark.worker"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as daemon:
        assert daemon.stdin is not None
        assert daemon.stdout is not None
        assert daemon.stderr is not None
        assert 0 < int.from_bytes(daemon.stdout.read(4), "big") < 65536
        daemon.stdin.close()
        assert b"Python workers are started in a slower way, with the same results" in daemon.stderr.read()


@pytest.mark.parametrize("is_served", [True, False])
def test_sparks_daemons_give_their_port_and_end_with_their_input(is_served: bool) -> None:
    server = fork_server.fork_server()
    assert server is not None
    server.start({"spark.executorEnv.OF_WORKERS": "1"}, ended_process())
    try:
        await_socket(server)
        for module in ("firesteel.spark.launch.daemon", "pyspark.daemon"):
            with subprocess.Popen(
                [str(server.python) if is_served else sys.executable, "-m", module, "pyspark.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            ) as daemon:
                assert daemon.stdin is not None
                assert daemon.stdout is not None
                assert 0 < int.from_bytes(daemon.stdout.read(4), "big") < 65536
                daemon.stdin.close()
                daemon.wait(100)
    finally:
        server.stop()
    assert not server.python.exists()


def test_where_temporary_files_are_not_run_there_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert fork_server.fork_server() is None


@pytest.mark.parametrize("is_served", [True, False])
def test_nothing_in_the_current_folder_runs_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_served: bool
) -> None:
    trap(tmp_path, marks := tmp_path / "marks")
    monkeypatch.chdir(tmp_path)
    server = fork_server.fork_server()
    assert server is not None
    if is_served:
        server.start({}, ended_process())
        await_socket(server)
    try:
        command = [str(server.python), "-m", "platform"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == platform.platform()
    finally:
        server.stop()
    assert list(marks.iterdir()) == []


def test_what_can_wait_is_done_while_nobody_asks(tmp_path: Path) -> None:
    done, path = tmp_path / "done", tmp_path / "folder" / "socket"
    path.parent.mkdir()
    code = (
        "import sys, pathlib\n"
        "from firesteel.spark.launch.fork_server import serve\n"
        f"serve(sys.argv[1], lambda: None, (pathlib.Path({str(done)!r}).touch() for _ in range(1)))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE) as server:
        while not done.exists():
            assert server.poll() is None
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(100) == 0
