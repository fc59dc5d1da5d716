"""A Python in whose place Flink's is run: it gives recorded answers, in their order."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PROGRAM = """\
#!{python}
import json, sys
if sys.argv[1] == "-c":
    print("2.3.0")
    sys.exit(0)
requests = json.load(open(sys.argv[2]))["requests"]
json.dump(requests, open({asked!r}, "w"))
answers = json.load(open({answers!r}))
open(sys.argv[3], "w").writelines(json.dumps(answer) + "\\n" for answer in answers)
print("the end of Flink's log")
sys.exit({status})
"""


def fake_python(folder: Path, answers: Sequence[dict[str, Any]], status: int = 0) -> str:
    """Write the program into a folder and return its path. It notes the requests in `asked.json` there.

    Args:
        answers: The version, then an answer to each request.
        status: Exit status of the process.
    """
    recorded = folder / "flink-answers.json"
    recorded.write_text(json.dumps(list(answers)), encoding="utf-8")
    program = folder / "flink-python"
    asked = str(folder / "asked.json")
    text = _PROGRAM.format(python=sys.executable, asked=asked, answers=str(recorded), status=status)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def asked(folder: Path) -> list[dict[str, Any]]:
    """Return the requests that Flink got."""
    found: list[dict[str, Any]] = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
    return found
