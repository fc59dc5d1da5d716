"""What Python holds of the JVM's is let go of once in so many micro-batches."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from firesteel.spark.internals import java_garbage
from firesteel.spark.internals.java_garbage import JavaGarbage

if TYPE_CHECKING:
    from firesteel.spark.start.launch import Spark

pytestmark = pytest.mark.spark


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_a_java_object_of_an_earlier_batch_is_freed(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_garbage, "_BATCHES", 3)
    garbage = JavaGarbage()
    held = spark.context._jvm.java.util.ArrayList()
    held.size()
    alive = weakref.ref(held)
    del held
    seen = []
    for _ in range(4):
        seen.append(alive() is not None)
        garbage.end_batch()
    assert seen == [True, True, True, False]  # were the first False, nothing would have to be collected
