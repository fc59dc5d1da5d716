"""Record what Flink answers to the features of this folder, its functions and its options: flink.json.

usage: python -m tests.compatibility.record_with_flink

Run it in the root with Python 3.10 to 3.12 of an environment that has apache-flink 2.3, and Java 17 on PATH.
It imports nothing of Firesteel.
"""

from __future__ import annotations

import importlib
import json
import re
import tempfile
from typing import Any

from tests.cases.record_with_flink import reason
from tests.compatibility.features import ANSWERS, TABLES, Statement, groups, statements

_SET = re.compile(r"SET\s+'([^']+)'\s*=\s*'([^']*)'", re.IGNORECASE)
_RESET = re.compile(r"RESET\s+'([^']+)'", re.IGNORECASE)
_PLANNED = re.compile(r"(?:SELECT|WITH|VALUES|INSERT|UPDATE|DELETE|MERGE)\b", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"No match found for function signature|Encountered \"|Incorrect syntax|SQL parse failed"
)
_OPTIONS = "org.apache.flink.table.api.config."
_CLASSES = ("ExecutionConfigOptions", "OptimizerConfigOptions", "TableConfigOptions")


class Recorder:
    """Flink's answers."""

    def __init__(self, folder: str) -> None:
        self._api = importlib.import_module("pyflink.table")
        self._jvm = importlib.import_module("pyflink.java_gateway").get_gateway().jvm
        self._folder = folder

    def group(self, group: list[Statement]) -> dict[str, str | None]:
        """Return the error of each feature of a group, None where Flink answers."""
        settings = self._api.EnvironmentSettings.new_instance().in_streaming_mode().build()
        environment = self._api.TableEnvironment.create(settings)
        found = {}
        for each in [*statements(TABLES.read_text()), *group]:
            if not each.is_recorded:
                continue
            error = self._error(environment, each.sql.replace("${FOLDER}", self._folder))
            if each.feature and each in group:
                found[each.feature] = error
                print(each.feature, error or "runs", sep=": ")
            elif error:
                raise RuntimeError(f"{each.sql}: {error}")
        return found

    def _error(self, environment: Any, sql: str) -> str | None:
        try:
            if setting := _SET.fullmatch(sql):
                environment.get_config().set(*setting.groups())
            elif setting := _RESET.fullmatch(sql):
                environment.get_config().get_configuration().remove_config(setting[1])
            elif _PLANNED.match(sql):
                details = self._api.ExplainDetail.JSON_EXECUTION_PLAN  # makes the operators, too
                environment.explain_sql(sql, details)
            else:
                environment.execute_sql(sql)
        except Exception as error:
            return reason(error)
        return None

    def functions(self) -> list[str]:
        """Return the names of Flink's functions that SQL can call."""
        settings = self._api.EnvironmentSettings.new_instance().in_streaming_mode().build()
        environment = self._api.TableEnvironment.create(settings)
        named = [name.upper() for name in environment.list_functions() if re.fullmatch(r"[A-Za-z]\w*", name)]
        return sorted({name for name in named if self._is_callable(environment, name)})

    def _is_callable(self, environment: Any, name: str) -> bool:
        for args in ("", "1", "1, 2"):
            try:
                environment.sql_query(f"SELECT {name}({args})")
            except Exception as error:
                if _UNKNOWN.search(reason(error)):
                    continue
            return True
        return False

    def options(self) -> dict[str, str | None]:
        """Return the keys of Flink's options for tables with their defaults, as Java writes these."""
        found: dict[str, str | None] = {}
        for name in _CLASSES:
            loader = self._jvm.Thread.currentThread().getContextClassLoader()
            fields = self._jvm.Class.forName(_OPTIONS + name, True, loader).getFields()
            for field in fields:
                option = field.get(None)
                if option.getClass().getSimpleName() == "ConfigOption":
                    default = option.defaultValue()
                    found[option.key()] = None if default is None else str(default)
        return dict(sorted(found.items()))


def main() -> None:
    """Write flink.json."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(folder)
        answers = {
            "features": {name: recorder.group(group) for name, group in groups().items()},
            "functions": recorder.functions(),
            "options": recorder.options(),
        }
    ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
