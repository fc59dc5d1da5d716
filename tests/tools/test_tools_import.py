"""Each program in tools/ can be imported: tests that need a broker start it by one of them."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import tools

NAMES = sorted(path.stem for path in Path(tools.__path__[0]).glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_is_imported(name: str) -> None:
    assert importlib.import_module(f"tools.{name}").__doc__
