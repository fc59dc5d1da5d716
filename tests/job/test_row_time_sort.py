"""A sort by row time gets watermarks of row time, with mini-batches by processing time too."""

from __future__ import annotations

import pytest

from firesteel.job.lower.job import translate
from firesteel.job.watermark_routing import WatermarkRouting
from firesteel.plan.nodes.physical import MiniBatchAssigner
from firesteel.plan.tree import walk
from firesteel.runtime.spec.operators import MiniBatchAssignerSpec, WatermarkAssignerSpec
from firesteel.runtime.spec.over import TemporalSortSpec
from tests.job.test_multi_join import BUNDLES
from tests.rules.planning import plan, tables

TABLES = """
CREATE TABLE clicks (id BIGINT, uid STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
WITH ('connector' = 'filesystem', 'path' = '/none', 'format' = 'json')
"""


@pytest.mark.parametrize("where", ["", "WHERE id > 3"])
@pytest.mark.parametrize("settings", [{}, BUNDLES])
def test_its_chain_gets_watermarks(where: str, settings: dict[str, str]) -> None:
    _, physical = plan(f"SELECT id, ts FROM clicks {where} ORDER BY ts, id", tables(TABLES), settings)
    assert any(isinstance(node, MiniBatchAssigner) for node in walk(physical)) == bool(settings)
    job = translate([physical])
    operators = [spec for chain in job.chains for spec in chain.operators]
    assert not any(isinstance(spec, MiniBatchAssignerSpec) for spec in operators)
    assert [spec.marks for spec in operators if isinstance(spec, WatermarkAssignerSpec)] == [True]
    sorts = {
        chain.id
        for chain in job.chains
        if any(isinstance(spec, TemporalSortSpec) for spec in chain.operators)
    }
    assert sorts == WatermarkRouting.of(job).watermarked
