"""Qualified names of user-defined functions."""

from __future__ import annotations

import pytest

from firesteel.bind.scalar.user_functions import user_function
from firesteel.catalog.catalog import Catalog


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("f", True),
        ("default_database.f", True),
        ("default_catalog.default_database.f", True),
        ("base.f", False),
        ("catalog.default_database.f", False),
        ("default_catalog.f", False),
    ],
)
def test_whole_parts_of_the_path_qualify_a_function(
    monkeypatch: pytest.MonkeyPatch, name: str, is_found: bool
) -> None:
    catalog = Catalog()
    monkeypatch.setattr(catalog.functions, "of_catalog", lambda last: "found" if last == "f" else None)
    assert (user_function(name, catalog) is not None) is is_found
