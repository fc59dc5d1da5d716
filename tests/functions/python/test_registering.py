"""CREATE FUNCTION and its kin; what may be a function and what may not."""

from __future__ import annotations

import base64
import pickle
from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.python import DataTypes, udaf, udf
from firesteel.functions.python.load import PICKLED
from tests.functions.python import sample

HERE = "tests.functions.python.sample"


@pytest.fixture
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    made.execute_sql(
        "CREATE TABLE t (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH "
        "('connector' = 'filesystem', 'path' = 'unread/t.json', 'format' = 'canal-json')"
    )
    return made


def create(environment: TableEnvironment, name: str, kind: str = "TEMPORARY", code: str = "plus_one") -> None:
    environment.execute_sql(f"CREATE {kind} FUNCTION {name} AS '{HERE}.{code}' LANGUAGE PYTHON")


def shown(environment: TableEnvironment) -> list[str]:
    return [row[0] for row in environment.execute_sql("SHOW USER FUNCTIONS").collect()]


def test_functions_of_all_kinds_are_shown_and_dropped(environment: TableEnvironment) -> None:
    create(environment, "F")
    create(environment, "f", "")
    create(environment, "f", "TEMPORARY SYSTEM")
    environment.execute_sql(f"CREATE TEMPORARY FUNCTION IF NOT EXISTS F AS '{HERE}.gone' LANGUAGE PYTHON")
    assert shown(environment) == ["f", "f"]
    assert "f" in [row[0] for row in environment.execute_sql("SHOW FUNCTIONS").collect()]
    for kind in ("", "TEMPORARY", "TEMPORARY SYSTEM"):
        environment.execute_sql(f"DROP {kind} FUNCTION f")
        environment.execute_sql(f"DROP {kind} FUNCTION IF EXISTS f")
    assert shown(environment) == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TEMPORARY FUNCTION f", "Could not register temporary catalog function. A function "
         "'default_catalog.default_database.f' does already exist."),
        ("CREATE FUNCTION f", "Function default_database.f already exists in Catalog default_catalog."),
        ("CREATE TEMPORARY SYSTEM FUNCTION f", "A function named 'f' does already exist."),
        ("DROP TEMPORARY FUNCTION g", "Temporary catalog function `default_catalog`.`default_database`.`g` "
         "doesn't exist"),
        ("DROP FUNCTION g", "Function default_database.g does not exist in Catalog default_catalog."),
        ("DROP TEMPORARY SYSTEM FUNCTION g", "A function named 'g' doesn't exist."),
    ],
)  # fmt: skip
def test_messages_are_flinks(environment: TableEnvironment, statement: str, message: str) -> None:
    for kind in ("", "TEMPORARY", "TEMPORARY SYSTEM"):
        create(environment, "f", kind)
    rest = "" if statement.startswith("DROP") else f" AS '{HERE}.plus_one' LANGUAGE PYTHON"
    with pytest.raises(ValidationError) as found:
        environment.execute_sql(statement + rest)
    assert message in found.value.message
    assert found.value.range is not None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("no_module.f", "'no_module.f' cannot be imported: ModuleNotFoundError"),
        (f"{HERE}.gone", "AttributeError"),
        (f"{HERE}.nothing", f"'{HERE}.nothing' is no function: str"),
        (f"{HERE}.udf", "is no function"),
    ],
)
def test_what_cannot_be_imported_is_an_error_of_the_statement(
    environment: TableEnvironment, code: str, message: str
) -> None:
    statement = f"CREATE FUNCTION f AS '{code}' LANGUAGE PYTHON"
    with pytest.raises(ValidationError) as found:
        environment.execute_sql(statement)
    assert message in found.value.message
    assert found.value.range is not None
    assert statement[found.value.range.start : found.value.range.end] == f"'{code}'"


def test_a_pickle_in_a_statement_is_refused(environment: TableEnvironment, tmp_path: Path) -> None:
    code = PICKLED + base64.b64encode(pickle.dumps(_Touching(tmp_path / "ran"))).decode()
    with pytest.raises(ValidationError, match="is a pickle") as found:
        environment.execute_sql(f"CREATE FUNCTION f AS '{code}' LANGUAGE PYTHON")
    assert found.value.range is not None
    with pytest.raises(ValidationError, match="is a pickle"):
        environment.create_temporary_function("f", code)
    assert not (tmp_path / "ran").exists()


class _Touching:
    """Makes a file when its pickle is read."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self._file,)


def test_other_languages_are_refused(environment: TableEnvironment) -> None:
    with pytest.raises(NotSupportedError, match="Functions in JAVA are not supported"):
        environment.execute_sql("CREATE FUNCTION f AS 'org.example.F'")


def test_built_in_functions_come_before_those_of_the_catalog(environment: TableEnvironment) -> None:
    create(environment, "`upper`")
    assert "UPPER($0)" in environment.explain_sql("SELECT UPPER(k) FROM t")
    create(environment, "`upper`", "TEMPORARY SYSTEM")
    assert "upper($0)" in environment.explain_sql("SELECT UPPER(k) FROM t")


def test_plans_show_a_function_as_the_query_names_it(environment: TableEnvironment) -> None:
    create(environment, "plus_one")
    create(environment, "wavg", code="weighted_average")
    plan = environment.explain_sql(
        "SELECT k, wAvg(v, v), SUM(pLus_one(v)) FROM t WHERE plus_one(v) > 1 GROUP BY k"
    )
    assert "PythonGroupAggregate(groupBy=[k], select=[k, wAvg_RETRACT(v, v) AS EXPR$1" in plan
    assert "pLus_one($1)" in plan
    assert "filter=" not in plan  # no source can call it


def test_an_aggregate_that_cannot_retract_is_refused_in_flinks_words(environment: TableEnvironment) -> None:
    create(environment, "longest", code="Longest")
    with pytest.raises(ValidationError) as found:
        environment.explain_sql("SELECT v, longest(k) FROM t GROUP BY v")
    assert found.value.message == (
        f"Could not find an implementation method 'retract' in class '{HERE}.Longest' for function 'longest' "
        "that matches the following signature:\nvoid retract(Acc, STRING)"
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT wavg(plus_one(wavg(v))) FROM t", "Aggregate expressions cannot be nested"),
        ("SELECT k FROM t WHERE wavg(v) > 1", "illegal in WHERE clause"),
        ("SELECT plus_one(DISTINCT v) FROM t", "DISTINCT/ALL not allowed with PLUS_ONE function"),
        ("SELECT plus_one(v) FILTER (WHERE v > 1) FROM t", "FILTER must be applied to aggregate function"),
        ("SELECT k, wavg(v) FROM t", "Expression 'k' is not being grouped"),
    ],
)
def test_aggregates_stand_where_aggregates_may(
    environment: TableEnvironment, query: str, message: str
) -> None:
    create(environment, "plus_one")
    create(environment, "wavg", code="weighted_average")
    with pytest.raises(ValidationError, match=message):
        environment.explain_sql(query)


def test_objects_are_registered_too(environment: TableEnvironment) -> None:
    environment.create_temporary_function("one", sample.plus_one)
    environment.create_temporary_function("two", udf(lambda x: x, result_type=DataTypes.INT()))
    environment.create_temporary_system_function("three", sample.WeightedAverage)
    assert environment.list_user_defined_functions() == ["one", "three", "two"]
    found = environment.catalog.functions.of_catalog("one")
    assert found is not None
    assert found.function.code == f"{HERE}:plus_one"
    assert environment.drop_temporary_function("one")
    assert not environment.drop_temporary_function("one")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: udf(len), "udf needs a result_type"),
        (lambda: udf(3, result_type="INT"), "3 is no function"),
        (lambda: udf(len, result_type="INT", func_type="fast"), "func_type is one of general, arrow, pandas"),
        (lambda: udaf(len), "is no object of an AggregateFunction"),
        (lambda: udaf(sample.Seen()), "Seen has no result type"),
    ],
)
def test_what_is_no_function(make, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        make()


def test_a_wrong_result_type_is_an_error(environment: TableEnvironment) -> None:
    with pytest.raises(Exception, match="BIGNIT"):
        environment.create_temporary_function("f", udf(len, result_type="BIGNIT"))
