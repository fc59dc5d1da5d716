"""A schema registry for the tests of a file."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.formats.schema_registry import Registry


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    made = Registry()
    threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()
