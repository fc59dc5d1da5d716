"""A PostgreSQL server for tests: the programs of the system, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

USER, PASSWORD = "tester", "s3cret-of-tester"


class NoServerError(Exception):
    """There is no PostgreSQL on this machine."""


def programs() -> Path:
    """The folder with initdb and pg_ctl. Raises NoServerError."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[4]))
    on_path = shutil.which("initdb")
    if on_path is not None:
        found.append(Path(on_path))
    if not found:
        raise NoServerError("no initdb, neither on the path nor in /usr/lib/postgresql")
    return found[-1].resolve().parent


class Postgres:
    """A running server with one database, "test". PostgreSQL does not run as root: there as `postgres`."""

    def __init__(self) -> None:
        self._programs = programs()
        self._folder = Path(tempfile.mkdtemp(prefix="firesteel-postgres-"))
        self._as: Sequence[str] = ()
        if os.getuid() == 0:
            self._as = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
            shutil.chown(self._folder, "postgres", "postgres")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run("initdb", "-D", self._data, "-U", USER, f"--pwfile={secret}", "-A", "scram-sha-256", "-N")
        self.start()
        with self.connect("postgres") as connection:
            connection.execute("CREATE DATABASE test")

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    @property
    def url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self.port}/test"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        log = str(self._folder / "log")
        self._run("pg_ctl", "start", "-w", "-D", self._data, "-l", log, "-o", options)

    def stop(self, how: str = "fast") -> None:
        """how: immediate, as if it were killed."""
        self._run("pg_ctl", "stop", "-D", self._data, "-m", how)

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)

    def connect(self, database: str = "test"):  # type: ignore[no-untyped-def]
        """A connection of psycopg's that commits at once."""
        import psycopg

        return psycopg.connect(
            f"host=127.0.0.1 port={self.port} dbname={database} user={USER} password={PASSWORD}",
            autocommit=True,
        )
