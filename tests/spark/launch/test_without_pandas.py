"""Processes that need no pandas: Arrow and pyspark do not find it, and other threads notice nothing."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from firesteel.spark.launch.without_pandas import no_pandas
before = list(sys.meta_path)
with no_pandas():
    finders = iter(sys.meta_path)  # as an import of another thread has it
    next(finders)
    try:
        import pandas
    except ImportError:
        print("not found")
assert list(finders) == before == sys.meta_path, "an import elsewhere would skip a finder"
import pandas
print("found")
"""


def test_it_is_not_found_inside_and_nobody_else_loses_a_finder() -> None:
    shown = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert shown.stdout == "not found\nfound\n"
