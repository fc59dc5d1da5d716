"""The position of a job in words."""

from __future__ import annotations

from pathlib import Path

from firesteel.spark.checkpoint.position import position_of


def test_the_last_planned_batch_and_its_offsets(tmp_path: Path) -> None:
    assert position_of(None, 4) == "batch 5"
    assert position_of(str(tmp_path), 4) == "batch 5"
    assert position_of("hdfs://host/x", 4) == "batch 5"
    log = tmp_path / "spark" / "offsets"
    log.mkdir(parents=True)
    for number, offset in ((9, 90), (10, 100)):
        (log / str(number)).write_text(
            f'v1\n{{"batchWatermarkMs":0}}\n{{"at": {{"t": {{"0": {offset}}}}}}}\n-'
        )
    (log / ".10.crc").write_text("")
    assert position_of(str(tmp_path), 4) == 'batch 10, which ends at {"at": {"t": {"0": 100}}} -'
    (log / "11").write_text("v1\n{}\n" + "x" * 1000)
    assert position_of(f"file:{tmp_path}", 4) == f"batch 11, which ends at {'x' * 300}..."
