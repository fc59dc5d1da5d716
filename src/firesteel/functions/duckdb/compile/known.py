"""Compilation of TYPEOF and CURRENT_DATABASE, whose values are constants of the plan.

Plans show the call, not its value. For CURRENT_DATABASE, the planner stores the name in `Call.options`.
"""

from __future__ import annotations

import re

from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.expression.nodes import Call, Literal
from firesteel.types.sql import MAX_LENGTH, TypeRoot


def typeof_text(call: Call) -> str:
    """Return the text of TYPEOF(value) or TYPEOF(value, force_serializable): the type of the value.

    If `force_serializable` is TRUE, the text has the lengths of STRING and BYTES, so that Flink can parse it.
    """
    kind = call.args[0].type
    text = str(kind)
    if kind.is_interval:
        unit = "MONTH" if kind.root is TypeRoot.INTERVAL_YEAR_MONTH else "SECOND(3)"
        text = f"INTERVAL {unit}" + ("" if kind.nullable else " NOT NULL")
    serializable = call.args[1:] and isinstance(call.args[1], Literal) and call.args[1].value is True
    return _serializable(text) if serializable else text


def _serializable(text: str) -> str:
    """Return the text with VARCHAR(2147483647) for STRING and VARBINARY(2147483647) for BYTES.

    Names in backticks are unchanged.
    """
    parts = re.split(r"(`(?:[^`]|``)*`)", text)
    parts[::2] = [re.sub(r"\b(STRING|BYTES)\b", _spelled, part) for part in parts[::2]]
    return "".join(parts)


def _spelled(match: re.Match[str]) -> str:
    return f"{'VARCHAR' if match[1] == 'STRING' else 'VARBINARY'}({MAX_LENGTH})"


def _typeof(compiler: Compiler, call: Call) -> str:
    return quoted(typeof_text(call))


def _current_database(compiler: Compiler, call: Call) -> str:
    return quoted(call.options[0])


EMIT: dict[str, Emit] = {"TYPEOF": _typeof, "CURRENT_DATABASE": _current_database}
