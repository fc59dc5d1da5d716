"""The JVM takes the options that Firesteel gives it, in the words that its version has for them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from firesteel.spark.launch.archive import class_archive
from firesteel.spark.launch.class_path import class_path
from firesteel.spark.launch.direct_launcher import _JVM_OPTIONS, _STREAM_OPTIONS
from firesteel.spark.launch.java import find_java, spark_home


def test_each_option_has_an_effect(tmp_path: Path) -> None:
    java = find_java()
    made = class_archive(java, class_path(spark_home() / "jars"), "stream", tmp_path).options
    options = [*_JVM_OPTIONS, *_STREAM_OPTIONS, *made, "-XX:+PrintFlagsFinal", "-version"]
    asked = subprocess.run([str(java.executable), *options], capture_output=True, text=True, check=True)
    flags = dict(re.findall(r"(\w+) +:?= +(\S*)", asked.stdout))
    assert flags["UseSerialGC"] == "true"
    assert flags["TieredStopAtLevel"] == "1"
    assert flags["NewSize"] == flags["MaxNewSize"] == str(96 << 20)
    assert flags["InitialHeapSize"] == str(192 << 20)
    assert flags["MaxHeapFreeRatio"] == "50"
    assert flags.get("TrimNativeHeapInterval", "5000") == "5000"  # Java 17.0.9 and later have it
