"""One PostgreSQL server for all tests that ask for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.connectors.jdbc.postgres import NoServerError, Postgres


@pytest.fixture(scope="package")
def postgres() -> Iterator[Postgres]:
    """A server of its own; where there is no PostgreSQL the tests that need one are skipped."""
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("psycopg")
    try:
        made = Postgres()
    except NoServerError as error:
        pytest.skip(f"no PostgreSQL: {error}")
    yield made
    made.remove()
