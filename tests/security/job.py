"""A stream with state, a checkpoint and metrics, run in a process whose arguments hold no secret.

usage: python -m tests.security.job FOLDER FAST_START
"""

from __future__ import annotations

import sys
from pathlib import Path

SECRET = "s3cr3t-of-the-bucket"
SCRIPT = """
CREATE TABLE t (k INT, v BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');
CREATE TABLE o (k INT, s BIGINT, c BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT k, SUM(v), COUNT(*) FROM t GROUP BY k;
"""


def main() -> None:
    from firesteel.cli.main import command

    folder, fast_start = Path(sys.argv[1]), sys.argv[2]
    script = folder / "job.sql"
    script.write_text(SCRIPT)
    sys.argv[:] = ["firesteel", "run", str(script), "--checkpoint", str(folder / "checkpoint")]
    sys.argv += ["--metrics-port", "0", "--set", "parallelism.default=2"]
    sys.argv += ["--set", f"firesteel.fast-start={fast_start}"]
    sys.argv += ["--set", f"spark.hadoop.fs.s3a.secret.key={SECRET}"]
    sys.exit(command())


if __name__ == "__main__":
    main()
