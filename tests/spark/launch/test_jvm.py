"""A JVM that does not come up is told of soon: the plain way is taken then."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from firesteel.errors import JobError
from firesteel.spark.launch.java import Java
from firesteel.spark.launch.jvm import LocalJvm


def java(folder: Path, script: str) -> Java:
    file = folder / "java"
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return Java(file, "17")


def test_one_that_ends_is_quoted(tmp_path: Path) -> None:
    jvm = LocalJvm(java(tmp_path, "echo no memory; exit 3"), [], {})
    with pytest.raises(JobError, match=r"Spark's JVM ended with status 3 while it started: no memory"):
        jvm.connect()
    assert jvm.has_ended


def test_one_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    jvm = LocalJvm(java(tmp_path, "exec sleep 600"), [], {})
    began = time.monotonic()
    with pytest.raises(JobError, match=r"Spark's JVM was not up after 0 s"):
        jvm.connect(patience=0.3)
    assert time.monotonic() - began < 100
    while not jvm.has_ended:
        assert time.monotonic() - began < 100
        time.sleep(0.05)
