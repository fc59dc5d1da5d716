"""The command `firesteel demo`: a small job over six messages in Canal's format, with output and plan."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from firesteel.cli.run import run_script
from firesteel.cli.script import SPARKS_LOGS
from firesteel.sql.variables import substitute


def folder() -> Path:
    """Return the folder of the demo's files: next to this module in a wheel, else in the sources."""
    installed = Path(__file__).with_name("demo_job")
    return installed if installed.is_dir() else Path(__file__).parents[3] / "examples" / "demo"


def run_demo(*, verbose: bool) -> int:
    """Print the script, run it, print the command that runs it by hand, and return the exit status."""
    job = folder() / "job.sql"
    script = job.read_text(encoding="utf-8")
    sys.stdout.write("".join(f"> {line}\n" for line in script.rstrip().splitlines()) + "\n")
    sys.stdout.flush()
    text = substitute(script, {"DATA": str(folder())})
    status = run_script(
        text, SPARKS_LOGS if verbose else {}, folder="", show="tableau", keep_going=False, verbose=verbose
    )
    sys.stdout.flush()
    by_hand = shlex.join(["firesteel", "run", str(job), "-D", f"DATA={job.parent}"])
    print(f"the same by hand: {by_hand}", file=sys.stderr)
    return status
