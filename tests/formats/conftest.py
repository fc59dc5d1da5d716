"""A schema registry for the tests of a file. The kernels are loaded, so that messages are read in columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.formats.schema_registry import Registry, running


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    with running() as made:
        yield made
