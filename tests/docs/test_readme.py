"""The README's first screen shows what the demo prints."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_messages_cause_the_changes_that_stand_beside_them() -> None:
    expected = (ROOT / "examples" / "demo" / "expected.txt").read_text(encoding="utf-8")
    printed = re.findall(r"^\| ([+-][IUD]) +\| +(\w+) \| +(\d+) \| +(\d+) \|$", expected, re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"`([+-][IUD])\[(\w+), (\d+), (\d+)\]`", readme)
    assert shown == printed
    assert len(shown) == 17
    rows = [line for line in readme.splitlines() if re.match(r"\| (INSERT|UPDATE|DELETE) ", line)]
    messages = (ROOT / "examples" / "demo" / "table1.json").read_text(encoding="utf-8").splitlines()
    assert [row.split()[1] for row in rows] == [re.findall(r'"type": "(\w+)"', m)[0] for m in messages]
