"""Runs in a Python that has Flink: the statements of a script, INSERTs to their end."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().build())
for statement in re.split(r";\s*\n", Path(sys.argv[1]).read_text(encoding="utf-8")):
    setting = re.fullmatch(r"\s*SET '([^']+)' = '([^']*)'\s*", statement)
    if setting:
        environment.get_config().set(setting[1], setting[2])
    elif re.match(r"\s*(INSERT|SELECT)\b", statement):
        result = environment.execute_sql(statement)
        result.print() if statement.lstrip().startswith("SELECT") else result.wait()
    elif statement.strip():
        environment.execute_sql(statement)
