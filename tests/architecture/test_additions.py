"""ARCHITECTURE's table of where to add what, walked: a toy of each kind, added to a copy of the source.

Each addition names the one file that is new and the lines that go into files that are there. A process that
uses the copy then runs all toys. An addition that needs more than its row says fails here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Addition:
    """A toy of one kind.

    Attributes:
        files: Text of each new file, by its path below src/firesteel.
        lines: For each file that is there: an anchor, and what is written behind it.
        probe: Program that prints what the toy does.
        prints: What it prints.
    """

    files: dict[str, str]
    lines: dict[str, list[tuple[str, str]]]
    probe: str
    prints: str


PLANNED = """
from firesteel import TableEnvironment
from tests.cases.script import job
from tests.properties.local_job import LocalJob, Rows
environment = TableEnvironment.create()
environment.execute_sql(
    "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json')"
)
rows = Rows(("k", "v"), [("+I", 1, 3), ("+I", 1, 5), ("+I", 2, 7)])
def run(sql):
    return list(LocalJob(job(environment, sql), {"t": rows}).at_once())
"""

ADDITIONS = {
    "aggregate": Addition(
        {
            "runtime/aggregate/functions/any_value.py": '''\
"""ANY_VALUE: the first value that is not NULL."""

from __future__ import annotations

from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    Argument,
    Declared,
    Field,
    If,
    IsNull,
    Other,
)
from firesteel.runtime.spec.operators import AggregateSpec


def any_value(call: AggregateSpec) -> Aggregate:
    """Return the aggregate for ANY_VALUE. It has no `retract`: the planner refuses it over changing rows."""
    kept = Field("value")
    return Declared(
        state_id="any-value.v1",
        fields=(AccumulatorField("value", call.arg_types[0], None),),
        accumulate={"value": If(IsNull(kept), Argument(), kept)},
        merge={"value": If(IsNull(kept), Other("value"), kept)},
        value=kept,
    )
'''
        },
        {
            "runtime/aggregate/functions/registry.py": [
                (
                    "from firesteel.errors import NotSupportedError\n",
                    "from firesteel.runtime.aggregate.functions.any_value import any_value\n",
                ),
                ('    "COUNT": count,\n', '    "ANY_VALUE": any_value,\n'),
            ],
            "functions/signatures/aggregate_functions.py": [
                ('    "COUNT": (_count, "<ANY>"),\n', '    "ANY_VALUE": (_any_one, "<ANY>"),\n')
            ],
            "functions/signatures/aggregate_traits.py": [
                ('    "LAG": _MERGES,\n', '    "ANY_VALUE": _ONE_ARGUMENT,\n')
            ],
        },
        PLANNED + 'print(run("SELECT k, ANY_VALUE(v) FROM t GROUP BY k")[-2:])',
        "[('+I', 1, 3), ('+I', 2, 7)]",
    ),
    "scalar function": Addition(
        {},
        {
            "functions/signatures/number.py": [
                (
                    '    Function("UUID", "", SqlType(TypeRoot.CHAR, length=36), "uuid()::VARCHAR"),\n',
                    '    Function("TWICE", "i", same_as_first, "{0} + {0}"),\n',
                )
            ]
        },
        PLANNED + 'print(run("SELECT TWICE(v) FROM t"))',
        "[('+I', 6), ('+I', 10), ('+I', 14)]",
    ),
    "rule": Addition(
        {
            "rules/normalize/shout.py": '''
import sys


def shout(node):
    """Print that the rule has seen a node."""
    print("seen", type(node).__name__, file=sys.stdout)
    return node
'''
        },
        {
            "rules/programs.py": [
                (
                    "from firesteel.rules.normalize.simplify_calc import simplify_calc\n",
                    "from firesteel.rules.normalize.shout import shout\n",
                ),
                (
                    '    "default_rewrite",\n    (\n',
                    '        (each(shout), "to be heard before the others"),\n',
                ),
            ]
        },
        PLANNED + 'run("SELECT v FROM t")',
        "seen",
    ),
    "pruning and push-down of a plan node": Addition(
        {
            "plan/nodes/echo/__init__.py": "",
            "plan/nodes/echo/logical.py": '''
from dataclasses import dataclass

from firesteel.plan.tree import LogicalNode, Node


@dataclass(frozen=True)
class Echo(LogicalNode):
    """Each row of the input twice."""

    input: Node

    @property
    def schema(self):
        return self.input.schema
''',
            "plan/nodes/echo/pushdown.py": '''
from firesteel.plan.nodes.echo.logical import Echo
from firesteel.plan.properties.column_pruning import (
    Need, ProjectionPlace, Pruned, column_pruning, projection_place,
)
from firesteel.plan.properties.filter_pushdown import lets_filters_pass

projection_place.always(ProjectionPlace.ABOVE, Echo)
lets_filters_pass(Echo)


@column_pruning.of(Echo)
def _pruned(node, wanted, picked):
    """Return the need of the wanted columns alone."""
    return Pruned((Need(node.input, wanted),), lambda inputs, positions: (Echo(inputs[0]), positions[0]))
''',
        },
        {
            "plan/metadata.py": [
                (
                    "from firesteel.plan.nodes.correlate import pushdown as correlate_pushdown\n",
                    "from firesteel.plan.nodes.echo import pushdown as echo_pushdown\n",
                ),
                ("    correlate_pushdown,\n", "    echo_pushdown,\n"),
            ]
        },
        """
from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.nodes.echo.logical import Echo
from firesteel.plan.nodes.logical import Filter, Project, Values
from firesteel.plan.tree import Field, walk
from firesteel.rules.pushdown.push_filters import push_filters
from firesteel.rules.pushdown.push_projects import push_projects
from firesteel.types.sql import BOOLEAN
rows = Values(tuple(Field(name, BOOLEAN) for name in "abc"), ())
root = Project(Filter(Echo(rows), InputRef(2, BOOLEAN)), (InputRef(0, BOOLEAN),), ("a",))
root = push_projects(Project(push_filters(root.input), root.exprs, root.names))
print([(type(node).__name__, "".join(field.name for field in node.schema)) for node in walk(root)])
""",
        "[('Echo', 'a'), ('Project', 'a'), ('Filter', 'abc'), ('Values', 'abc')]",
    ),
    "operator": Addition(
        {
            "runtime/operators/calc/twice.py": '''
from dataclasses import dataclass

import pyarrow as pa

from firesteel.runtime.dataflow.operator import RowOperator
from firesteel.runtime.spec.twice import TwiceSpec


class Twice(RowOperator):
    """Operator that sends each row twice."""

    def process(self, changes):
        return pa.concat_tables([changes, changes])


def build(spec, state, clock):
    return Twice()


def code(spec):
    yield "-- Twice"
''',
            "runtime/spec/twice.py": '''
from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class TwiceSpec(OperatorSpec):
    """Send each row twice."""
''',
        },
        {
            "runtime/dataflow/operator_registry.py": [
                (
                    "from firesteel.runtime.spec.sharing import SequenceShiftSpec\n",
                    "from firesteel.runtime.spec.twice import TwiceSpec\n",
                ),
                (
                    "OPERATORS: dict[type[OperatorSpec], Entry] = {\n",
                    '    TwiceSpec: Entry("firesteel.runtime.operators.calc.twice"),\n',
                ),
            ]
        },
        """
import pyarrow as pa
from firesteel.runtime.dataflow.chain import Chain
from firesteel.runtime.spec.twice import TwiceSpec
chain = Chain.of([TwiceSpec()], None, lambda: 0)
print([table.num_rows for table in chain.send(pa.table({"$kind": pa.array([0, 0], pa.int8())}))])
""",
        "[4]",
    ),
    "connector": Addition(
        {
            "connectors/nowhere/__init__.py": "",
            "connectors/nowhere/connector.py": '''
from firesteel.catalog.schema import SourceTraits
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink
from firesteel.connectors.options import CONNECTOR


class Counting(Sink):
    """Counts rows."""

    rows = 0

    def write(self, changes):
        self.rows += changes.num_rows


class Nowhere:
    """See connectors/base.py: Connector."""

    name = "nowhere"
    options = (CONNECTOR,)

    def validate(self, table):
        return

    def traits(self, table):
        return SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="no-update-before")

    def sink(self, sink):
        return Counting()
''',
        },
        {
            "connectors/registry.py": [
                (
                    '        "blackhole": "firesteel.connectors.blackhole.connector:Blackhole",\n',
                    '        "nowhere": "firesteel.connectors.nowhere.connector:Nowhere",\n',
                )
            ]
        },
        PLANNED
        + """
environment.execute_sql("CREATE TABLE s (v INT) WITH ('connector' = 'nowhere')")
plan = environment.explain_sql("INSERT INTO s SELECT v FROM t")
print("Sink(table=[default_catalog.default_database.s]" in plan)
from firesteel.connectors.registry import connector
import pyarrow as pa
sink = connector("nowhere").sink(None)
sink.open_task("job", 0, 0)
sink.write(pa.table({"f0": [1, 2]}))
print(sink.close_task() or sink.rows)
""",
        "True\n2",
    ),
    "format": Addition(
        {
            "formats/lengths.py": '''
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import INSERT_ONLY, KIND
from firesteel.formats.raw.format import Raw


class Decoder:
    """The length of each message."""

    causes = Counter()

    def decode(self, messages):
        kinds = pa.array(np.zeros(len(messages), np.int8))
        lengths = pc.binary_length(messages)
        return pa.table({KIND: kinds, "f0": lengths}), np.arange(len(messages))


class Lengths:
    """The format `lengths`."""

    name, changelog_mode, sink_mode, splittable, options = "lengths", INSERT_ONLY, "insert-only", False, ()

    def validate(self, options, names, types):
        return

    def decoder(self, fields, options):
        return Decoder()
''',
        },
        {
            "formats/registry.py": [
                (
                    '        "json": "firesteel.formats.json.format:Json",\n',
                    '        "lengths": "firesteel.formats.lengths:Lengths",\n',
                )
            ]
        },
        """
import pyarrow as pa
from firesteel.formats.registry import find_format
table, _ = find_format("lengths").decoder(None, {}).decode(pa.array([b"ab", b"c"]))
print(table["f0"].to_pylist())
""",
        "[2, 1]",
    ),
    "kernel": Addition(
        {
            "kernels/sums.py": '''
import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Integers, given


@compiled
def add_all(values: Integers) -> int:
    """Return the sum."""
    total = 0
    for value in values:
        total += value
    return total


def warm() -> None:
    add_all(*given(np.arange(3)))
''',
        },
        {"kernels/warm.py": [("MODULES = (\n", '    "sums",\n')]},
        """
import numpy as np
from firesteel.kernels.sums import add_all
from firesteel.kernels.types import given
print(add_all(*given(np.arange(5))))
""",
        "10",
    ),
    "option": Addition(
        {},
        {
            "config/table.py": [
                (
                    "OPTIONS = (\n",
                    '    Option("table.exec.toy", _INTEGER, "3", "A toy."),\n',
                )
            ]
        },
        """
from firesteel import TableEnvironment
from firesteel.config.registry import Configuration
environment = TableEnvironment.create()
print(Configuration().get("table.exec.toy"))
try:
    environment.execute_sql("SET 'table.exec.toy' = 'x'")
except Exception as error:
    print("table.exec.toy" in str(error))
""",
        "3\nTrue",
    ),
}


RUN_ALL = """
import contextlib, io, json, sys, traceback
answers = {}
for kind, probe in json.load(sys.stdin).items():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            exec(probe, {"__name__": "__main__"})
        except Exception:
            traceback.print_exc(file=sys.stdout)
    answers[kind] = said.getvalue()
json.dump(answers, sys.stdout)
"""


def copied(folder: Path) -> None:
    """Copy the source with its compiled files, and add all toys."""
    package = Path(shutil.copytree(ROOT / "src" / "firesteel", folder / "firesteel"))
    for addition in ADDITIONS.values():
        for name, text in addition.files.items():
            (package / name).parent.mkdir(exist_ok=True)
            (package / name).write_text(text, encoding="utf-8")
        for name, edits in addition.lines.items():
            there = (package / name).read_text(encoding="utf-8")
            for anchor, line in edits:
                assert there.count(anchor) == 1, (name, anchor)
                there = there.replace(anchor, anchor + line)
            (package / name).write_text(there, encoding="utf-8")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the probes of all toys print, in one process that uses a copy of the source."""
    source = tmp_path_factory.mktemp("additions")
    copied(source)
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=json.dumps({kind: addition.probe for kind, addition in ADDITIONS.items()}),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)])},
        cwd=source,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kind", ADDITIONS)
def test_a_toy_works_with_what_its_row_names(kind: str, answers: dict[str, str]) -> None:
    assert ADDITIONS[kind].prints in answers[kind], answers[kind]


def test_a_toy_needs_few_files() -> None:
    edited = {kind: len(addition.lines) for kind, addition in ADDITIONS.items()}
    assert {kind for kind, files in edited.items() if files > 1} == {"aggregate"}
