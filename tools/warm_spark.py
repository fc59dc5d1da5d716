"""Run a small job on each host, so that the JVMs of later commands find a class-data archive.

usage: python tools/warm_spark.py

The JVM of the first command writes an archive when it ends. With that, the command takes four times the
processor time of later ones, for a stream three times. Tests start many commands before the first one has
ended, and these would run without an archive.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_SCRIPT = """
CREATE TABLE numbers (k STRING, v INT)
    WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
SELECT k, SUM(v) FROM numbers GROUP BY k;
"""


def run_job(folder: Path, *arguments: str) -> int:
    """Run the command `firesteel run` on a script over a file in a folder, and return its status."""
    source, script = folder / "numbers", folder / "job.sql"
    source.mkdir(parents=True)
    (source / "1.json").write_text('{"k": "a", "v": 1}\n{"k": "b", "v": 2}\n', encoding="utf-8")
    script.write_text(_SCRIPT.format(path=source), encoding="utf-8")
    command = [sys.executable, "-m", "firesteel.cli.main", "run", str(script), *arguments]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def main() -> int:
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as both:
        folder = Path(name)
        stream = "--checkpoint", str(folder / "checkpoint")
        runs = [both.submit(run_job, folder / "batch"), both.submit(run_job, folder / "stream", *stream)]
        return max(run.result() for run in runs)


if __name__ == "__main__":
    sys.exit(main())
