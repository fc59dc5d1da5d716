"""Runs a script as a whole process on one engine, and takes the time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from benchmarks.data import cache

FLINK_VERSION = "2.3.0"
TIMEOUT_SECONDS = 900
CONNECTORS = {
    "kafka": (("org.apache.flink", "flink-sql-connector-kafka", "5.0.0-2.2"),),
    "jdbc": (
        ("org.apache.flink", "flink-connector-jdbc-core", "4.0.0-2.0"),
        ("org.apache.flink", "flink-connector-jdbc-postgres", "4.0.0-2.0"),
        ("org.postgresql", "postgresql", "42.7.4"),
    ),
}
"""What Flink's own package lacks, by the name that a script says."""


@dataclass(frozen=True)
class Run:
    """One process: seconds from its start to its end."""

    seconds: float


class Failed(Exception):
    """The process ended with an error, or was not there; the text is one line."""


Watch = Callable[["subprocess.Popen[str]"], None]
"""Looks at a process while it runs; returns when it has ended."""


@once
def _compile(python: str) -> None:
    """Its Firesteel, as pip does with what it installs."""
    code = "import compileall, firesteel; compileall.compile_dir(firesteel.__path__[0], quiet=2)"
    _quiet([python, "-c", code])


def firesteel(
    script: str,
    settings: dict[str, str],
    checkpoint: bool = False,
    watch: Watch | None = None,
    python: str = sys.executable,
) -> Run:
    """`firesteel run` as that Python has it; a checkpoint in a folder of its own if asked for."""
    _compile(python)
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.sql"
        job.write_text(script, encoding="utf-8")
        command = [python, "-m", "firesteel.cli.main", "run", str(job)]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        if checkpoint:
            command += ["--checkpoint", str(Path(folder) / "checkpoint")]
        return _timed(command, _environment(python), watch)


def _environment(python: str) -> dict[str, str]:
    """This process's; another Python goes by its own path."""
    own = {"PYTHONPATH"} if python != sys.executable else set()
    return {key: value for key, value in os.environ.items() if key not in own}


def flink(script: str, settings: dict[str, str], checkpoint: bool = False) -> Run:
    """Flink's mini cluster in one JVM, as PyFlink starts it."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.sql"
        options = dict(settings)
        used = (needed for name, needed in CONNECTORS.items() if f"'{name}'" in script)
        jars = [_connector(jar) for needed in used for jar in needed]
        if jars:
            options["pipeline.jars"] = ";".join(f"file://{jar}" for jar in jars)
        if checkpoint:
            options |= {
                "execution.checkpointing.interval": "10 s",
                "execution.checkpointing.dir": f"file://{folder}/checkpoints",
            }
        sets = "".join(f"SET '{key}' = '{value}';\n" for key, value in options.items())
        job.write_text(sets + script, encoding="utf-8")
        driver = Path(__file__).with_name("flink_driver.py")
        return _timed([str(flink_python()), str(driver), str(job)], os.environ.copy())


def spark(select: str, folder: Path, parallelism: int) -> Run:
    """Run a query over a folder of Nexmark events with Spark's Structured Streaming."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write(select)
        query.flush()
        driver = Path(__file__).with_name("spark_driver.py")
        command = [sys.executable, str(driver), query.name, str(folder), str(parallelism)]
        return _timed(command, os.environ.copy())


@once
def _connector(coordinates: tuple[str, str, str]) -> Path:
    """Its jar, out of Maven's repository by the Ivy of the pyspark wheel, kept in the cache folder."""
    import pyspark

    _, artifact, version = coordinates
    jar = cache() / f"{artifact}-{version}.jar"
    if not jar.exists():
        (ivy,) = (Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar")
        pattern = str(jar.with_name("[artifact]-[revision].[ext]"))
        ask = ["-dependency", *coordinates, "-notransitive", "-retrieve", pattern]
        _quiet(["java", "-jar", str(ivy), "-confs", "default", *ask])
    return jar


def flink_python() -> Path:
    """A Python with Flink: FIRESTEEL_BENCH_FLINK names one, else an environment in the cache folder.

    Raises Failed where none can be made: Flink needs Python 3.9 to 3.12 and the package index.
    """
    given = os.environ.get("FIRESTEEL_BENCH_FLINK")
    if given:
        return Path(given)
    folder = cache() / f"flink-{FLINK_VERSION}"
    python = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        base = _python_for_flink()
        print(f"installing Flink {FLINK_VERSION} into {folder}", file=sys.stderr)
        _quiet([base, "-m", "venv", str(folder)])
        _quiet([str(python), "-m", "pip", "install", "-q", f"apache-flink=={FLINK_VERSION}", "setuptools<81"])
        (folder / ".ready").touch()
    return python


def _python_for_flink() -> str:
    for name in ("python3.11", "python3.12", "python3.10", "python3.9"):
        found = shutil.which(name)
        if found:
            return found
    if sys.version_info < (3, 13):
        return sys.executable
    raise Failed("Flink needs Python 3.9 to 3.12, and none was found")


def _quiet(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Failed(f"{' '.join(command[1:4])} failed: {last}")


def _timed(command: list[str], environment: dict[str, str], watch: Watch | None = None) -> Run:
    started = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        if watch is not None:
            watch(process)
        try:
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed(f"not done after {TIMEOUT_SECONDS} s") from None
    seconds = time.monotonic() - started
    if process.returncode:
        lines = [line for line in (err + out).strip().splitlines() if line.strip()]
        raise Failed(lines[-1] if lines else f"exit status {process.returncode}")
    return Run(seconds)
