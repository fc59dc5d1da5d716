"""The script of the guide, over SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.run import Runner
from firesteel.sql.variables import substitute
from tests.connectors.jdbc.databases import SqliteDatabase
from tests.guide.test_examples import GUIDE, blocks

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytest.importorskip("sqlalchemy")


@pytest.mark.spark
@pytest.mark.parametrize("host", ["batch", pytest.param("stream", marks=pytest.mark.full)])
def test_the_guides_script(
    host: str, spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "jdbc.md").read_text(encoding="utf-8"))
    (tmp_path / "sales.json").write_text(parts["sales.json"])
    database = SqliteDatabase(tmp_path / "shop.db")
    database.run(parts["shop.sql"])
    script = substitute(parts["totals.sql"], {"DATA": str(tmp_path)})
    environment = TableEnvironment.create(spark, configuration={"firesteel.host": host})
    assert Runner(environment).run(script) == 0
    assert capsys.readouterr().out == parts["firesteel run totals.sql -D DATA=."]
    assert database.run("SELECT * FROM totals") == [("apples", 7)]
    assert database.run("SELECT * FROM firesteel_batches") == []
