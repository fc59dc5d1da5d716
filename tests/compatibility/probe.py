"""Firesteel's answers to the features: each is planned and lowered to a job, or, if it is no query, run."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from unittest.mock import patch

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, NotSupportedError, ParseError
from firesteel.session import jobs
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.session.result import OK
from firesteel.sql.statements import Insert, Query
from tests.compatibility.features import TABLES, Statement, statements

_UNKNOWN = re.compile(r"No match found for function signature|Function \w+ is not supported yet")
_WORDS = {
    "EXTRACT": "DAY FROM DATE '2026-01-01'",
    "OVERLAY": "'a' PLACING 'b' FROM 1",
    "POSITION": "'a' IN 'ab'",
    "TIMESTAMPADD": "DAY, 1, DATE '2026-01-01'",
    "TIMESTAMPDIFF": "DAY, DATE '2026-01-01', DATE '2026-01-02'",
    "TRANSLATE": "'a', 'b', 'c'",
}
"""Arguments of functions whose calls have words of their own."""


def prepared() -> TableEnvironment:
    """Return an environment with the tables."""
    environment = TableEnvironment.create()
    for each in statements(TABLES.read_text()):
        environment.execute_sql(each.sql)
    return environment


def errors(group: Iterable[Statement]) -> dict[str, FiresteelError | None]:
    """Return the error of each feature of a group, None where Firesteel answers."""
    environment, found = prepared(), {}
    with tempfile.TemporaryDirectory() as folder, patch.object(jobs, "run_inserts", lambda *_: OK):
        for each in group:
            error = error_of(environment, each.sql.replace("${FOLDER}", folder))
            if each.feature:
                found[each.feature] = error
            elif error is not None:
                raise error
    return found


def error_of(environment: TableEnvironment, sql: str) -> FiresteelError | None:
    """Return the error of a statement, None if Firesteel answers it."""
    try:
        (statement,) = environment.parse(sql)
        if isinstance(statement, (Query, Insert)):
            (plans,) = plan_all(environment, (statement,), sql, collect=isinstance(statement, Query))
            job_of(environment, [plans.physical])
        else:
            environment.execute(statement, sql)
    except FiresteelError as error:
        return error
    return None


def knows_function(environment: TableEnvironment, name: str) -> bool:
    """Return whether a function is found for any of a few calls, as Flink is asked (record_with_flink.py)."""
    for args in ("", "1", "1, 2", _WORDS.get(name, "")):
        try:
            environment.sql_query(f"SELECT {name}({args})")
        except FiresteelError as error:
            if isinstance(error, (NotSupportedError, ParseError)) or _UNKNOWN.search(error.message):
                continue
        return True
    return False
