"""The catalog: look-up, temporary objects, and what is said when a name is wrong."""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog, table_of
from firesteel.catalog.schema import Column, Table, View
from firesteel.errors import ValidationError
from firesteel.types.sql import INT

HOME = ("default_catalog", "default_database")


def table(name: str, temporary: bool = False) -> Table:
    return Table(*HOME, name, (Column("a", INT),), (), temporary=temporary)


def view(name: str) -> View:
    return View(*HOME, name, "SELECT 1", ("x",), (INT,))


@pytest.fixture
def catalog() -> Catalog:
    found = Catalog()
    found.create(table("orders"))
    found.create(view("big"))
    return found


def test_names_of_one_to_three_parts(catalog: Catalog) -> None:
    for name in (("orders",), ("default_database", "orders"), (*HOME, "orders")):
        assert catalog.get(name).name == "orders"
    assert catalog.find(("other", "orders")) is None
    assert catalog.names() == ["big", "orders"]
    assert catalog.view_names() == ["big"]


def test_unknown_names_come_with_a_near_one(catalog: Catalog) -> None:
    with pytest.raises(ValidationError, match="Object 'order' not found") as found:
        catalog.get(("order",))
    assert found.value.hint == "did you mean 'orders'?"


def test_a_name_is_taken_once(catalog: Catalog) -> None:
    with pytest.raises(
        ValidationError, match=r"Table \(or view\) default_database.orders already exists in Catalog"
    ):
        catalog.create(view("orders"))
    catalog.create(view("orders"), if_not_exists=True)
    assert isinstance(catalog.get(("orders",)), Table)


def test_temporary_objects_hide_permanent_ones(catalog: Catalog) -> None:
    catalog.create(table("big", temporary=True))
    assert isinstance(catalog.get(("big",)), Table)
    with pytest.raises(ValidationError, match=r"Temporary table .*`big`' exists. Drop it first"):
        catalog.drop("TABLE", ("big",))
    with pytest.raises(ValidationError, match=r"Temporary table .*`big`' already exists"):
        catalog.create(table("big", temporary=True))
    assert catalog.drop("TABLE", ("big",), temporary=True)
    assert isinstance(catalog.get(("big",)), View)


def test_drop(catalog: Catalog) -> None:
    assert catalog.drop("TABLE", ("orders",))
    assert not catalog.drop("TABLE", ("orders",), if_exists=True)
    with pytest.raises(
        ValidationError, match=r"Table with identifier 'default_catalog\.default_database\.orders' does"
    ):
        catalog.drop("TABLE", ("orders",))
    with pytest.raises(ValidationError, match="does not exist") as found:
        catalog.drop("TABLE", ("big",))
    assert found.value.hint == "it is a view"


def test_there_is_one_database(catalog: Catalog) -> None:
    catalog.use_catalog("default_catalog")
    catalog.use_database(("default_catalog", "default_database"))
    with pytest.raises(ValidationError, match=r"A catalog with name \[x\] does not exist"):
        catalog.use_catalog("x")
    with pytest.raises(ValidationError, match=r"A database with name \[x\] does not exist in the catalog"):
        catalog.use_database(("x",))
    with pytest.raises(ValidationError, match="Database x does not exist in Catalog default_catalog"):
        catalog.create(Table("default_catalog", "x", "t", (Column("a", INT),), ()))


def test_nothing_is_written_to_a_view(catalog: Catalog) -> None:
    with pytest.raises(ValidationError, match=r"Sink '.*big' does not exists"):
        table_of(catalog.get(("big",)))
