"""The JVM holds a file. Without it a run could begin while the Spark of one that was killed still writes."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.spark.internals.jvm_lock import JvmLock

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


def test_it_is_taken_when_nobody_holds_the_file_and_let_go(spark: Spark, tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with file.open("w") as mine:
        fcntl.lockf(mine, fcntl.LOCK_EX)
        lock = JvmLock(spark.context, file)
        assert not lock.is_taken()
        fcntl.lockf(mine, fcntl.LOCK_UN)
        assert lock.is_taken()
        with pytest.raises(OSError):
            fcntl.lockf(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock.close()
        fcntl.lockf(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
