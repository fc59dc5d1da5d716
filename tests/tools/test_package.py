"""The wheel, installed into an empty environment without the extras, runs a script without a clone."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

import firesteel
from firesteel.spark.environment_archive import _required

pytest.importorskip("build", reason="of the extra `dev`")
pytest.importorskip("twine", reason="of the extra `dev`")
pytest.importorskip("hatchling", reason="of the extra `dev`")

ROOT = Path(__file__).parents[2]
SCRIPT = (
    "SELECT name, SUM(cnt) AS total FROM (VALUES ('Tom', 12), ('Tom', 9)) AS t (name, cnt) GROUP BY name;\n"
)


def run(*command: str, folder: Path) -> str:
    """Run a command outside of the clone and return what it prints."""
    variables = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def share(packages: Path) -> None:
    """Link what the default installation requires, and nothing else, into an environment."""
    needed = [*_required(()), metadata.distribution("pyspark"), metadata.distribution("py4j")]
    for each in needed:
        tops = {file.parts[0] for file in each.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            source = Path(str(each.locate_file(top)))
            if source.exists() and not (packages / top).exists():
                (packages / top).symlink_to(source)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_wheel_runs_a_script_without_a_clone(tmp_path: Path) -> None:
    dist, environment = tmp_path / "dist", tmp_path / "venv"
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(dist), str(ROOT), folder=tmp_path)
    (wheel,), (archive,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    assert wheel.name == f"firesteel-{firesteel.__version__}-py3-none-any.whl"
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(archive), folder=tmp_path)
    has_option = [int(part) for part in metadata.version("pip").split(".")[:2]] >= [22, 3]
    venv.create(environment, with_pip=not has_option)
    python = str(environment / "bin" / "python")
    pip = (sys.executable, "-m", "pip", "--python", python) if has_option else (python, "-m", "pip")
    run(*pip, "install", "--no-deps", "--no-index", "--no-compile", str(wheel), folder=tmp_path)
    share(next(environment.glob("lib/python*/site-packages")))
    job = tmp_path / "job.sql"
    job.write_text(SCRIPT, encoding="utf-8")
    command = str(environment / "bin" / "firesteel")
    assert run(command, "--version", folder=tmp_path) == f"firesteel {firesteel.__version__}\n"
    assert "# What runs" in run(command, "help", "support", folder=tmp_path)
    printed = run(command, "run", str(job), folder=tmp_path)
    assert "| +U |                            Tom |          21 |" in printed
