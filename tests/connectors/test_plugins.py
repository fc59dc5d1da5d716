"""Connectors and formats are found by name, Firesteel's own and those of other packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from firesteel.config.plugins import Plugins
from firesteel.connectors.registry import CONNECTORS, connector
from firesteel.formats.registry import FORMATS

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("plugins", [CONNECTORS, FORMATS], ids=["connectors", "formats"])
def test_firesteels_own_are_entry_points(plugins: Plugins) -> None:
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    project = tomllib.loads(PROJECT.read_text())["project"]
    assert project["entry-points"][plugins.group] == plugins.own
    for name in plugins.own:
        found = plugins.find(name)
        assert found is not None
        assert found.name == name


def test_another_package_brings_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "vault-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: vault\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[firesteel.connectors]\nvault = tests.session.vault:Vault\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert connector("vault").name == "vault"
    assert "vault" in CONNECTORS.names()
