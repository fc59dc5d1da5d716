"""The fork server: a process that asks is continued by a fork that has everything loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.spark.fork_server import ADDRESS, ForkServer, is_possible

pytestmark = pytest.mark.skipif(not is_possible(), reason="this system has no fork, or no Unix sockets")

SERVER = """
import os, sys
from firesteel.spark.fork_server import serve
serve(sys.argv[1], lambda: sys.modules.setdefault("loaded_before", os))
import loaded_before
mine = os.environ.get("MINE"), "SERVERS" in os.environ
print(sys.argv, os.getcwd(), *mine, "beside" in sys.path, flush=True)
for line in sys.stdin:
    print("got", line.strip(), flush=True)
"""
ASKER = """
import sys
from firesteel.spark.fork_server import hand_over
sys.path.append("beside")
sys.exit(hand_over() or 0)
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where a server listens that continues with the rest of SERVER."""
    socket = tmp_path / "socket"
    command = [sys.executable, "-c", SERVER, str(socket)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "SERVERS": "1"}) as server:
        while not socket.exists():
            assert server.poll() is None
        yield str(socket)
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(10) == 0


def ask(address: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ASKER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, ADDRESS: address, "MINE": "yes"},
    )


def test_the_fork_has_streams_arguments_folder_path_and_environment(address: str, tmp_path: Path) -> None:
    with ask(address, tmp_path, "a", "b") as asker:
        assert asker.stdout is not None
        assert asker.stdin is not None
        assert asker.stdout.readline() == f"['-c', 'a', 'b'] {tmp_path} yes False True\n"
        asker.stdin.write("one\n")
        asker.stdin.flush()
        assert asker.stdout.readline() == "got one\n"
        asker.stdin.close()
        assert asker.wait(10) == 0


def test_it_serves_many_and_the_end_of_one_is_not_the_end_of_another(address: str, tmp_path: Path) -> None:
    askers = [ask(address, tmp_path, str(n)) for n in range(3)]
    for n, asker in enumerate(askers):
        assert asker.stdout is not None
        assert asker.stdout.readline().startswith(f"['-c', '{n}']")
    askers[0].kill()
    assert askers[1].communicate("still\n", timeout=10)[0] == "got still\n"
    assert askers[2].communicate("there\n", timeout=10)[0] == "got there\n"
    askers[0].wait(10)


@pytest.mark.parametrize("where", ["", "/no/such/socket"])
def test_without_a_server_there_is_nobody_to_hand_over_to(where: str) -> None:
    script = "from firesteel.spark.fork_server import hand_over; print(hand_over())"
    environment = {**os.environ, ADDRESS: where}
    said = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert said.stdout == "None\n"


def test_sparks_daemon_gives_its_port_from_a_fork_and_ends_with_its_input() -> None:
    server = ForkServer({"spark.executorEnv.OF_WORKERS": "1"})
    try:
        while not Path(server.address).exists():
            assert server._process.poll() is None
        for served in (server.address, ""):
            with subprocess.Popen(
                [sys.executable, "-m", "firesteel.spark.daemon", "pyspark.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, ADDRESS: served},
            ) as daemon:
                assert daemon.stdin is not None
                assert daemon.stdout is not None
                assert 0 < int.from_bytes(daemon.stdout.read(4), "big") < 65536
                daemon.stdin.close()
                daemon.wait(10)
    finally:
        server.stop()
    assert server._process.wait(10) == 0
    assert not Path(server.address).exists()
