"""One Spark a process, whoever uses it: who closes takes it from nobody, and leaves no dead one behind."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.errors import UsageError

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

PROGRAM = """
from firesteel import TableEnvironment
from firesteel.errors import JobError, UsageError
from firesteel.spark.launch.launch import prepared

def count(environment):
    return environment.sql_query("SELECT COUNT(*) FROM (VALUES (1), (2)) AS t(a)").to_pandas().iloc[0, 0]

def refused(act):
    try:
        act()
    except (JobError, UsageError) as error:
        return str(error).splitlines()[0]

options = {"spark.master": "local[1]", "spark.app.name": "mine"}
one, other = TableEnvironment.create(configuration=options), TableEnvironment.create()
print("both", count(one), count(other), one.spark is other.spark)
late = TableEnvironment.create(configuration={"spark.app.name": "another"})
print(refused(lambda: count(late)))
print(refused(lambda: one.execute_sql("SET 'spark.app.name' = 'late'")))
print(refused(lambda: late.execute_sql("SET 'spark.memory.fraction' = '0.5'")))
one.execute_sql("SET 'spark.app.name' = 'mine'")
one.get_config().set("spark.app.name", "late")
print(refused(lambda: count(one)))
one.get_config().set("spark.app.name", "mine")
one.close()
print("the other", count(other))
print("the first again", count(one), one.spark is other.spark)
ended = other.spark
one.close()
other.close()
print("ended", ended.has_ended, prepared())
third = TableEnvironment.create(configuration={"spark.master": "local[1]", "spark.app.name": "new"})
print("a new one", count(third), third.spark.context.appName)
jvm = third.spark._fast._jvm._process
jvm.kill()
jvm.wait()
print("after its JVM died", count(third))
third.spark.context.stop()
print("after it was stopped", count(third))
bad = TableEnvironment.create()
third.close()
bad.execute_sql("SET 'spark.master' = 'spark://127.0.0.1:1'")
print(refused(lambda: count(bad)))
bad.execute_sql("SET 'spark.master' = 'local[1]'")
print("mended", count(bad))
bad.close()
"""
ANSWER = """\
both 2 2 True
'spark.app.name' = 'another' comes too late: Spark runs already with 'mine'
'spark.app.name' = 'late' comes too late: Spark runs already with 'mine'
'spark.memory.fraction' = '0.5' comes too late: Spark runs already
'spark.app.name' = 'late' comes too late: Spark runs already with 'mine'
the other 2
the first again 2 True
ended True None
a new one 2 new
after its JVM died 2
after it was stopped 2
Spark's master spark://127.0.0.1:1 cannot be reached: Connection refused
mended 2
"""


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_environments_share_a_spark_that_lives_while_one_of_them_does() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=280)
    assert done.stdout == ANSWER, done.stderr


@pytest.mark.spark
def test_one_that_was_given_is_left_alone(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    assert environment.spark is spark
    environment.close()
    assert not spark.has_ended
    assert TableEnvironment.create(spark).spark is spark


@pytest.mark.spark
def test_settings_for_one_that_was_given_are_refused(spark: Spark) -> None:
    environment = TableEnvironment.create(spark, configuration={"spark.app.name": "another"})
    with pytest.raises(UsageError, match=r"'spark.app.name' = 'another' comes too late: Spark runs already"):
        environment.sql_query("SELECT COUNT(*) FROM (VALUES (1)) AS t(a)").to_pandas()
    session = TableEnvironment.create(spark.session)
    with pytest.raises(UsageError, match=r"'spark.sql.no' = '1' comes too late: Spark runs already") as told:
        session.execute_sql("SET 'spark.sql.no' = '1'")
    assert told.value.hint is not None
    session.execute_sql("SET 'spark.app.name' = 'firesteel'")
