"""The page on the shell: its session, as it is typed from a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guide.shell_session import check_session
from tests.guide.test_examples import GUIDE, blocks


@pytest.mark.spark
@pytest.mark.slow
def test_the_session_prints_what_the_guide_says(tmp_path: Path) -> None:
    parts = blocks((GUIDE / "shell.md").read_text(encoding="utf-8"))
    (tmp_path / "orders.json").write_text(parts["orders.json"], encoding="utf-8")
    check_session(parts, tmp_path)
