"""Execution of a test on Spark: the rows of all steps are the input of one job on the batch host."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from firesteel.connectors.dataframe import BATCHES, NAME, PATH
from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.environment import TableEnvironment
from firesteel.spark.batch.host import BatchSettings, run
from firesteel.spark.shipped_code import ship_code


def run_on_spark(
    environment: TableEnvironment, job: JobSpec, steps: Sequence[Mapping[str, pa.Table]]
) -> Iterator[pa.Table]:
    """Run a job on Spark's batch host and yield its changes.

    Args:
        environment: The session, which starts a local Spark at its first job.
        job: The job. The changes of its first sink are yielded and written nowhere.
        steps: For each step of the test the input rows of tables, by the table's path. They are changes
            tables without sequences. A table's rows of all steps are read together.

    Raises:
        FiresteelError: The job fails.
    """
    first, *others = job.sinks
    with tempfile.TemporaryDirectory(prefix="firesteel-test-") as folder:
        files = dict(_written(Path(folder), steps))
        chains = tuple(_reading(chain, files) for chain in job.chains)
        job = replace(job, chains=chains, sinks=(replace(first, connector=None), *others))
        spark = environment.spark
        ship_code(spark, job)
        yield from run(job, spark, BatchSettings(statement="firesteel test"))


def _written(folder: Path, steps: Sequence[Mapping[str, pa.Table]]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Write the rows that a table has in all steps to an Arrow file, for each table.

    Yield (path of the table, (path of the file, number of its record batches)) for each table.
    """
    paths = dict.fromkeys(path for tables in steps for path in tables)
    for number, path in enumerate(paths):
        rows = pa.concat_tables([tables[path] for tables in steps if path in tables]).combine_chunks()
        file = str(folder / f"{number}.arrow")
        batches = rows.to_batches()
        with pa.OSFile(file, "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        yield path, (file, len(batches))


def _reading(chain: ChainSpec, files: Mapping[str, tuple[str, int]]) -> ChainSpec:
    """Return a chain that reads the file of its table instead of the table."""
    scan = chain.source
    if not isinstance(scan, ScanSpec):
        return chain
    file, batches = files[scan.table]
    options = ((PATH, file), (BATCHES, str(batches)))
    read = replace(chain.inputs[0], of=replace(scan, connector=NAME, options=options))
    return replace(chain, inputs=(read, *chain.inputs[1:]))
