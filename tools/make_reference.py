"""Write docs/reference.md from the tables that the code reads: `make reference`.

tests/docs/test_reference.py compares the page with the tables.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

from firesteel.bind.scalar.functions import SPECIAL
from firesteel.config.option import Option
from firesteel.config.table import OPTIONS
from firesteel.connectors.registry import CONNECTORS
from firesteel.formats.registry import FORMATS
from firesteel.functions.signatures.aggregate_functions import AGGREGATES
from firesteel.functions.signatures.function import FAMILIES, Function
from firesteel.functions.signatures.table import FUNCTIONS

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"

HEAD = """\
# Reference

Made from the tables that the program itself reads (`make reference`). Meanings are Flink's; what differs or
is missing is in [compatibility](compatibility.md).
"""
_MANY = 100
MARKS = {"": "{}", "?": "[{}]", "*": "{}..."}


def page() -> str:
    """The page's text."""
    sections = (_options(), _connectors(), _formats(), _functions(), _aggregates())
    return "\n".join((HEAD, *sections))


def _options() -> str:
    return (
        "## Options\n\nFor `SET 'key' = 'value'`, `--set key=value` and the Python API.\n\n"
        + _option_table(OPTIONS)
    )


def _option_table(options: Iterable[Option], prefix: str = "") -> str:
    rows = []
    for option in options:
        notes = [option.doc]
        if option.choices:
            notes.append(f"One of {', '.join(f'`{c}`' for c in option.choices)}.")
        notes += ["Must be given."] if option.required else []
        notes += ["A secret."] if option.is_secret else []
        default = "" if option.default is None else f"`{option.default}`"
        rows.append((f"`{prefix}{option.key}`", option.kind.value, default, " ".join(notes)))
    return _table(("option", "type", "default", "meaning"), rows)


def _connectors() -> str:
    parts = [
        f"### `{name}`\n\n{_option_table(CONNECTORS.find(name).options)}" for name in sorted(CONNECTORS.own)
    ]
    return "\n".join(["## Connectors\n", *parts])


def _formats() -> str:
    parts = []
    for name in sorted(FORMATS.own):
        found = FORMATS.find(name)
        holds = "rows" if found.changelog_mode.is_insert_only else "changes"
        parts.append(f"### `{name}`\n\nHolds {holds}.\n\n{_option_table(found.options, f'{name}.')}")
    return "\n".join(["## Formats\n", *parts])


def _functions() -> str:
    rows = [(f"`{name}`", "<br>".join(map(_form, FUNCTIONS[name]))) for name in sorted(FUNCTIONS)]
    rows += [(f"`{name}`", _count(*SPECIAL[name][0])) for name in SPECIAL if name not in FUNCTIONS]
    return (
        "## Scalar functions\n\nBesides the operators of SQL. `[x]` may be left out, `x...` repeated.\n\n"
        + _table(("function", "arguments"), sorted(rows))
    )


def _form(function: Function) -> str:
    return ", ".join(
        MARKS[mark].format(FAMILIES[family][1].strip("<>")) for family, mark in function.parameters
    )


def _count(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}" if most < _MANY else f"{least} or more"


def _aggregates() -> str:
    return "## Aggregate functions\n\n" + _codes(sorted(name for name in AGGREGATES if name[0] != "$")) + "\n"


def _codes(names: Iterable[str]) -> str:
    return textwrap.fill(", ".join(f"`{name}`" for name in sorted(names)), 110, break_on_hyphens=False)


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
