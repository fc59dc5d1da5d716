"""Write docs/support.md, the list of what runs: `make reference`.

It asks the program itself: the features of tests/compatibility are planned for it, and Flink has answered
them, too. tests/docs/test_support.py compares the page with the answers of now.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tests.cases.test_recorded import OPEN
from tests.compatibility.features import ANSWERS, groups
from tests.compatibility.probe import errors, knows_function
from tools.make_reference import _codes, _table
from tools.support_tables import connectors, formats

from firesteel import TableEnvironment
from firesteel.config.table import OPTIONS
from firesteel.errors import FiresteelError
from firesteel.functions.signatures.known_names import KNOWN
from firesteel.session.planning import ONE_VALUE

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "support.md"
HEAD = """\
# What runs

Made by `make reference`, which asks the program itself: each feature is a statement of `tests/compatibility`
that is planned for this page, and that Flink 2.3 has answered, too. [Compatibility](compatibility.md) has the
details, and what differs.

| mark | meaning |
| --- | --- |
| runs | Firesteel and Flink answer |
| refused | Flink answers, Firesteel has the error that is shown |
| refused by both | Flink has an error, too |
"""
MARKS = ("runs", "refused", "refused by both")
LONGEST = 110
"""Most characters of an error on the page."""


def page() -> str:
    """Return the page's text."""
    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))
    asked = {name: errors(group) for name, group in groups().items()}
    rows = {name: list(_features(answers["features"][name], found)) for name, found in asked.items()}
    sections = [_summary(rows)]
    sections += [f"## {name}\n\n{_table(('feature', 'answer'), found)}" for name, found in rows.items()]
    sections += [_functions(answers["functions"]), formats(), connectors(), _options(answers["options"])]
    return "\n".join((HEAD, *sections, _recorded()))


def _features(
    flink: dict[str, str | None], found: dict[str, FiresteelError | None]
) -> Iterable[tuple[str, str]]:
    for feature, error in found.items():
        refuses = flink.get(feature) is not None
        if error is None:
            yield feature, "runs; Flink refuses it" if refuses else "runs"
        else:
            yield feature, f"refused{' by both' if refuses else ''}: {_shown(error.message)}"


def _shown(message: str) -> str:
    """Return the first line of an error, as code."""
    line = message.partition("\n")[0]
    line = line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}..."
    return f"`{line}`" if "`" not in line else f"`` {line} ``"


def _summary(rows: dict[str, list[tuple[str, str]]]) -> str:
    def count(found: list[tuple[str, str]], mark: str) -> str:
        return str(sum(answer.partition(":")[0].partition(";")[0] == mark for _, answer in found))

    counts = [
        (f"[{name}](#{name.lower()})", *(count(found, mark) for mark in MARKS))
        for name, found in rows.items()
    ]
    return _table(("group", *MARKS), counts)


def _functions(listed: list[str]) -> str:
    names = sorted({*listed, *KNOWN})
    environment = TableEnvironment.create()
    missing = [name for name in names if not knows_function(environment, name)]
    return (
        f"## Functions\n\nOf the {len(names)} names of functions that SQL can call in Flink, "
        f"{len(names) - len(missing)} run\n([reference](reference.md#scalar-functions)). These are refused:"
        f"\n\n{_codes(missing)}\n"
    )


def _options(flink: dict[str, str | None]) -> str:
    known = {option.key for option in OPTIONS}
    rows = []
    for key in flink:
        answer = "unknown" if key not in known else "its default only" if key in ONE_VALUE else "known"
        rows.append((f"`{key}`", answer))
    count = sum(answer == "known" for _, answer in rows)
    return (
        f"## Table options\n\nOf the {len(rows)} options of Flink for tables (`table.*`), {count} are known; "
        "the [reference](reference.md#options)\nhas their meanings. Where only the default is allowed, "
        "another value is refused. The others,\nmost of them for batch jobs or Flink's runtime, have no "
        "effect.\n\n" + _table(("option", "Firesteel"), rows)
    )


def _recorded() -> str:
    rows, total = [], [0, 0, 0, 0]
    for file in sorted((ROOT / "tests" / "cases").glob("*/*/flink.json")):
        answers = json.loads(file.read_text(encoding="utf-8"))
        refused = sum("error" in answer for answer in answers)
        left_out = len(OPEN.get(file.parent.name, ()))
        counts = (len(answers), len(answers) - refused - left_out, refused, left_out)
        total = [a + b for a, b in zip(total, counts, strict=True)]
        rows.append((f"`{file.parent.name}`", *map(str, counts)))
    rows.append(("all", *map(str, total)))
    heading = ("case", "SELECTs", "the same changes", "refused by both", "left out")
    return (
        "## Recorded cases\n\nFolders of `tests/cases`: the tests compare the changes of each SELECT with "
        "those that Flink sent.\n\n" + _table(heading, rows)
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
