"""The measurement of what the page costs: each of its ways runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks import page_cost

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("way", page_cost.WAYS)
def test_each_way_runs(spark: Spark, way: str) -> None:
    pytest.importorskip("uvicorn")
    cost = page_cost.cost(page_cost.environment(1000, spark), way)
    assert cost.time > 0
    assert cost.processor > cost.page
    assert (cost.page > 0) == (way != page_cost.WITHOUT)
