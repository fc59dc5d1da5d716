"""Functions of the jobs that are upgraded (upgrade_cases.py)."""

from __future__ import annotations

from firesteel.functions.python import udf


@udf(result_type="INT")
def twice(x: int) -> int:
    return 2 * x


@udf(result_type="INT")
def thrice(x: int) -> int:
    return 3 * x
