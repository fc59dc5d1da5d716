"""The public names: all there, all documented, none more."""

from __future__ import annotations

import inspect

import pytest

import firesteel

PUBLIC = [
    "FiresteelError",
    "Row",
    "RowKind",
    "StatementSet",
    "Table",
    "TableEnvironment",
    "TableResult",
    "__version__",
]


def test_the_public_names_are_these() -> None:
    assert sorted(firesteel.__all__) == PUBLIC


@pytest.mark.parametrize("name", [n for n in PUBLIC if n != "__version__"])
def test_each_can_be_imported_and_is_documented(name: str) -> None:
    assert getattr(firesteel, name).__doc__  # inspect.getdoc takes that of a base class, too


@pytest.mark.parametrize("owner", [n for n in PUBLIC if n in ("Table", "TableEnvironment", "TableResult")])
def test_public_methods_are_annotated(owner: str) -> None:
    for name, method in inspect.getmembers(getattr(firesteel, owner), inspect.isfunction):
        if not name.startswith("_"):
            assert "return" in method.__annotations__, f"{owner}.{name}"


def test_dir_shows_the_public_names() -> None:
    assert sorted(dir(firesteel)) == PUBLIC


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        firesteel.nothing  # noqa: B018
